// Each mode's options, read from words as a person writes them.

import Testing

@testable import bgtool

func read(_ words: String...) throws -> Invocation {
    try Invocation.read(words, version: "0").get()
}

func message(_ words: String...) -> String? {
    switch Invocation.read(words, version: "0") {
    case .success: nil
    case .failure(let error): error.message
    }
}

struct WrongMode: Error {}

struct OptionsTests {
    func start(_ words: String...) throws -> StartOptions? {
        guard case .start(let options) = try Invocation.read(["start"] + words, version: "0").get()
        else { return nil }
        return options
    }

    func upload(_ words: String...) throws -> UploadOptions? {
        guard case .upload(let options) = try Invocation.read(["upload"] + words, version: "0").get()
        else { return nil }
        return options
    }

    @Test func `start without an address is the lesson`() throws {
        let options = try #require(try start())
        #expect(options.address.absoluteString == "http://127.0.0.1:8765/audiobook")
        #expect(options.name == "audiobook-42")
        #expect(options.session == "com.example.library.relaunch")
        #expect(options.wait == 2)
        #expect(options.output == nil)
        #expect(options.isLesson)
    }

    @Test func `start with an address leaves at once and is named after it`() throws {
        let options = try #require(try start("https://h/books/a%20b.m4b?x=1"))
        #expect(options.name == "a b.m4b")
        #expect(options.wait == 0)
        #expect(!options.isLesson && !options.replacesExisting && !options.queuesAgain)
    }

    @Test func `start reads all its options`() throws {
        let digest = String(repeating: "aB", count: 32)
        let options = try #require(
            try start(
                "-o", "f", "--name=n", "http://h/x", "--session", "s", "--wait", "0.5", "--sha256", digest,
                "-H", "A: 1", "-H", "B:2", "--force", "--again"))
        #expect(options.output == "f" && options.name == "n" && options.session == "s")
        #expect(options.wait == 0.5)
        #expect(options.sha256 == String(repeating: "ab", count: 32))
        #expect(options.headers.map(\.name) == ["A", "B"])
        #expect(options.headers.map(\.value) == ["1", "2"])
        #expect(options.replacesExisting && options.queuesAgain)
    }

    @Test func `upload alone is the lesson`() throws {
        let options = try #require(try upload())
        #expect(options.file == nil && options.method == .post && options.wait == 2)
        #expect(options.address.absoluteString == "http://127.0.0.1:8765/uploads")
        #expect(options.name == "photo-upload-7")
    }

    @Test func `upload takes a file, an address, or both`() throws {
        let file = try #require(try upload("dir/p.jpg"))
        #expect(file.file == "dir/p.jpg" && file.name == "p.jpg" && file.wait == 0)
        let address = try #require(try upload("http://h/u"))
        #expect(address.file == nil && address.address.absoluteString == "http://h/u")
        let both = try #require(try upload("p.jpg", "http://h/u", "--method", "PUT"))
        #expect(both.file == "p.jpg" && both.address.absoluteString == "http://h/u")
        #expect(both.method == .put)
    }

    @Test func `upload refuses other methods`() {
        #expect(
            message("upload", "--method", "GET")
                == "The value 'GET' is invalid for '--method <method>': "
                + "an upload's method is POST or PUT; write one of them.")
    }

    @Test func `resume waits for ever unless told`() throws {
        guard case .resume(let options) = try read("resume") else { throw WrongMode() }
        #expect(options.timeout == nil)
        guard case .resume(let timed) = try read("resume", "--timeout", "30") else {
            throw WrongMode()
        }
        #expect(timed.timeout == 30)
    }

    @Test func `status shows one session or all, not both`() throws {
        guard case .status(let one) = try read("status", "--json"),
            case .status(let all) = try read("status", "--all", "--watch")
        else { throw WrongMode() }
        #expect(one.scope == .session("com.example.library.relaunch") && one.printsJSON)
        #expect(all.scope == .all && all.watches)
        #expect(
            message("status", "--all", "--session", "s")
                == "'--session' and '--all' exclude each other; leave one of them out.")
    }

    @Test func `cancel needs at least one name or identifier`() throws {
        guard case .cancel(let options) = try read("cancel", "a b", "7", "--keep") else {
            throw WrongMode()
        }
        #expect(options.targets == ["a b", "7"] && options.keepsBytes)
        #expect(message("cancel") == "Missing expected argument '<task> ...'")
    }

    @Test func `sessions can print JSON`() throws {
        guard case .sessions(let options) = try read("sessions", "--json") else {
            throw WrongMode()
        }
        #expect(options.printsJSON)
    }

    @Test(arguments: [
        (["start"], ServiceOptions.start), (["stop"], .stop), (["restart"], .restart),
        (["status"], .status(printsJSON: false)), (["status", "--json"], .status(printsJSON: true)),
        (["log"], .log(follows: false, lines: 50)),
        (["log", "-f", "-n", "3"], .log(follows: true, lines: 3)),
    ])
    func `service has five verbs`(words: [String], expected: ServiceOptions) throws {
        guard case .service(let options) = try Invocation.read(["service"] + words, version: "0").get()
        else { throw WrongMode() }
        #expect(options == expected)
    }

    @Test func `an error names the whole command`() throws {
        guard case .failure(let error) = Invocation.read(["service", "log", "-n", "-2"], version: "0")
        else { throw WrongMode() }
        #expect(
            error.description == """
                Error: The value '-2' is invalid for '--lines <count>': it is not a whole number; write 0 or more.
                Usage: bgtool service log [--follow] [--lines <count>]
                  See 'bgtool service log --help' for more information.
                """)
    }
}
