// What tells wishes apart, and what a later process is told of one.
import Foundation
import Testing

@testable import Downloads

struct DownloadRequestTests {
    private let address = URL(filePath: "/book")

    @Test func `a relative folder is meant from where the process is`() {
        let here = FileManager.default.currentDirectoryPath
        let request = DownloadRequest(address, folder: "shelf")
        #expect(request.folder == here + "/shelf")
        #expect(request == DownloadRequest(address, folder: here + "/shelf"))
        #expect(request.wish(session: "s").destinationFolder == here + "/shelf")
    }

    @Test func `an absolute folder stays, and so does none`() {
        #expect(DownloadRequest(address, folder: "/srv/shelf").folder == "/srv/shelf")
        #expect(DownloadRequest(address).folder == nil)
    }
}
