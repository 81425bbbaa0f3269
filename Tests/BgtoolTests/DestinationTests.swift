// Where `start -o` puts the file.

import Foundation
import Testing

@testable import bgtool

@Suite struct DestinationTests {
    private func wish(_ output: String) throws -> (folder: String?, name: String?) {
        guard case .start(let options) = try read("start", "http://h/book.m4b", "-o", output) else {
            throw WrongMode()
        }
        let wish = try StartingWish(options: options).makeWish()
        return (wish.destinationFolder, wish.destinationName)
    }

    @Test func `a path names the file`() throws {
        let (folder, name) = try wish("/shelf/./a//b.m4b")
        #expect(folder == "/shelf/a")
        #expect(name == "b.m4b")
    }

    @Test(arguments: ["/tmp/", "/tmp/."])
    func `a folder that is there takes the file under the name that the server suggests`(_ output: String)
        throws
    {
        let (folder, name) = try wish(output)
        #expect(folder == "/tmp")
        #expect(name == nil)
    }

    @Test func `a folder that is not there is no file's name`() throws {
        let error = #expect(throws: CommandFailure.self) { try wish("/nonexistent/shelf/") }
        #expect(error?.status == ExitStatus.usage)
        #expect(error?.message.contains("/nonexistent/shelf") == true)
    }
}
