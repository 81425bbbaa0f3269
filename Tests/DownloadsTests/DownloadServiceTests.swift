// What a download service owes its callers and its records when things go wrong around it.

import Foundation
import Testing
import TransferProtocol

@testable import BackgroundURLSession
@testable import Downloads

@Suite struct DownloadServiceTests {
    let scratch: Scratch
    let store: WishStore

    init() throws {
        scratch = try Scratch()
        store = try WishStore(folder: scratch.file("wishes")) { _ in }
    }

    private func service(_ configuration: URLSessionConfiguration) throws -> DownloadService {
        try DownloadService(configuration: configuration, folder: scratch.file("wishes")) { _ in }
    }

    @Test func `a service that cannot attach forgets nothing`() async throws {
        let configuration = URLSessionConfiguration.background(withIdentifier: "one")
        configuration.access = ServiceAccess(
            home: ServiceHome(folder: scratch.file("home")),
            environment: ["URLSESSIOND_PATH": "/nonexistent/urlsessiond"], clientName: "tests",
            executableFolder: "/nonexistent")
        var wish = Wish(session: "one", name: "book", address: "http://127.0.0.1:1/book")
        wish.tasks = [1]
        try store.save(wish)
        let service = try service(configuration)
        // Answered when the launch is over.
        _ = try await service.enqueueMissing([])
        #expect(try store.wish(session: "one", name: "book") != nil)
    }

    @Test func `what was asked during the launch is on the disk when commit returns`() throws {
        let server = try SmallServer()
        // Often, since a launch may be over by chance.
        for number in 1...40 {
            let service = try service(.ephemeral)
            service.enqueue(DownloadRequest(server.address, name: "book \(number)"))
            try service.commit()
            #expect(try store.wish(session: "", name: "book \(number)")?.tasks == [1])
            service.invalidateAndCancel()
        }
    }

    @Test func `an invalid service answers whoever asks it`() throws {
        let server = try SmallServer()
        let service = try service(.ephemeral)
        service.invalidateAndCancel()
        try? service.commit()
        let answers = Answers()
        service.download(DownloadRequest(server.address), completion: answers.note)
        #expect(answers.wait() == ["it was cancelled"])
    }

    @Test func `a service that is let go of answers those who still wait`() throws {
        let server = try SmallServer()
        let answers = Answers()
        var service: DownloadService? = try service(.ephemeral)
        service?.download(DownloadRequest(server.address), completion: answers.note)
        try service?.commit()
        #expect(answers.heard == [])
        service = nil
        #expect(answers.wait() == ["it was cancelled"])
    }

    @Test func `a file that was kept aside is where the error says, also when the service is gone`() throws {
        let server = try SmallServer(
            answer: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nwrong")
        let answers = Answers()
        var service: DownloadService? = try DownloadService(configuration: .ephemeral) { _ in }
        service?.download(
            DownloadRequest(
                server.address, folder: scratch.path, sha256: String(repeating: "0", count: 64),
                keepsRejected: true),
            completion: answers.note)
        let words = try #require(answers.wait().first)
        try service?.commit()
        service = nil
        let path = try #require(words.components(separatedBy: "kept as ").dropFirst().last, "\(words)")
        defer { try? FileManager.default.removeItem(atPath: (path as NSString).deletingLastPathComponent) }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "wrong")
    }

    @Test func `an error that is none of Foundation's addresses keeps its domain and code`() {
        let error = DownloadError(transport: NSError(domain: "example", code: 7))
        guard case .transport(let cause, nil) = error else {
            Issue.record("\(error)")
            return
        }
        #expect((cause as NSError).domain == "example")
        #expect((cause as NSError).code == 7)
    }
}

/// What callers were answered, in order.
private final class Answers: @unchecked Sendable {
    // Unchecked: guarded by `condition`.
    private let condition = NSCondition()
    private var lines: [String] = []

    @Sendable func note(_ result: Result<Downloaded, DownloadError>) {
        condition.lock()
        defer { condition.unlock() }
        switch result {
        case .success(let downloaded): lines.append("\(downloaded)")
        case .failure(let error): lines.append("\(error)")
        }
        condition.broadcast()
    }

    var heard: [String] {
        condition.lock()
        defer { condition.unlock() }
        return lines
    }

    /// Everything heard when there is something.
    func wait() -> [String] {
        let deadline = Date(timeIntervalSinceNow: 30)
        condition.lock()
        defer { condition.unlock() }
        while lines.isEmpty, condition.wait(until: deadline) {}
        return lines
    }
}
