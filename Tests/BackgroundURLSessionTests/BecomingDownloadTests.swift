// A data task whose delegate makes a download of it, however late it decides.
import Foundation
import Testing
import TransferProtocol

@testable import BackgroundURLSession

/// Keeps the question about the head until the test answers it, or answers as the test says.
private final class Decider: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, @unchecked Sendable
{
    typealias Decision = @Sendable (BackgroundURLSession.URLSession.ResponseDisposition) -> Void
    // Unchecked: guarded; the closure is set before the session is made.
    let lines = Guarded<[String]>([])
    let decide = Guarded<Decision?>(nil)
    var onResponse: (BackgroundURLSession.URLSessionTask) -> Void = { _ in }

    func note(_ line: String) { lines.with { $0.append(line) } }

    func wait(for line: String) -> [String] {
        let deadline = Date(timeIntervalSinceNow: 20)
        while !lines.with({ $0.contains(line) }), Date() < deadline { usleep(2000) }
        return lines.with { $0 }
    }

    func urlSession(
        _ session: BackgroundURLSession.URLSession, dataTask: BackgroundURLSession.URLSessionDataTask,
        didReceive response: URLResponse, completionHandler: @escaping Decision
    ) {
        decide.with { $0 = completionHandler }
        note("response")
        onResponse(dataTask)
    }

    func urlSession(
        _ session: BackgroundURLSession.URLSession, dataTask: BackgroundURLSession.URLSessionDataTask,
        didBecome downloadTask: BackgroundURLSession.URLSessionDownloadTask
    ) { note("became") }

    func urlSession(
        _ session: BackgroundURLSession.URLSession,
        downloadTask: BackgroundURLSession.URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) { note("wrote \(totalBytesWritten)") }

    func urlSession(
        _ session: BackgroundURLSession.URLSession,
        downloadTask: BackgroundURLSession.URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) { note("file \((try? Data(contentsOf: location))?.count ?? -1)") }

    func urlSession(
        _ session: BackgroundURLSession.URLSession, task: BackgroundURLSession.URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) { note("complete") }

    func urlSessionDidFinishEvents(
        forBackgroundURLSession session: BackgroundURLSession.URLSession
    ) { note("events finished") }
}

@Suite struct BecomingDownloadTests {
    private let service: FakeService
    private let delegate = Decider()

    init() throws { service = try FakeService() }

    private func snapshot(_ state: TaskState, received: Int64 = 0) -> TaskSnapshot {
        var snapshot = TaskSnapshot.fake(1, .data, state, received: received, expected: 5)
        snapshot.response = ResponseRecord(url: "http://127.0.0.1:1/file", status: 200)
        return snapshot
    }

    /// Makes the task; gives the path of the pipe that its body comes through.
    private func begin() throws -> (session: BackgroundURLSession.URLSession, pipe: String) {
        let session = URLSession(
            configuration: service.configuration(), delegate: delegate, delegateQueue: nil)
        session.dataTask(with: try #require(URL(string: "http://127.0.0.1:1/file"))).resume()
        try session.commit()
        let call = try #require(service.wait(for: CreateTask.method).first).read(CreateTask.self)
        return (session, try #require(call.pipe))
    }

    private func write(_ text: String, to pipe: String) throws {
        let descriptor = open(pipe, O_WRONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        _ = Array(text.utf8).withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }

    @Test func oneThatHasEndedBeforeTheDelegateDecidesEndsInItsFile() throws {
        let (_, pipe) = try begin()
        try service.tell(ReportTask(task: snapshot(.running)))
        _ = delegate.wait(for: "response")
        try write("bytes", to: pipe)
        try service.event(1, .completed(error: nil), snapshot(.finished, received: 5))
        try service.tell(EventsFinished())
        _ = delegate.wait(for: "events finished")
        delegate.decide.with { $0 }?(.becomeDownload)
        #expect(
            delegate.wait(for: "complete") == [
                "response", "events finished", "became", "wrote 5", "file 5", "complete",
            ])
        let acknowledged = try service.wait(for: AcknowledgeEvent.method).first?.read(AcknowledgeEvent.self)
        #expect(acknowledged?.sequence == 1 && acknowledged?.withheld == nil)
    }

    @Test func newsThatWasOnItsWayToTheDataTaskDoesNotSilenceTheDownloads() throws {
        delegate.onResponse = { [delegate] task in
            // The delegate's queue stands still here: the news waits behind this call.
            let deadline = Date(timeIntervalSinceNow: 20)
            while task.countOfBytesReceived < 3, Date() < deadline { usleep(2000) }
            delegate.decide.with { $0 }?(.becomeDownload)
        }
        let (_, _) = try begin()
        func tell(_ received: Int64) throws {
            let note = ProgressNote(
                identifier: 1, received: received, expected: 5, sent: 0, expectedToSend: nil)
            try service.tell(ReportProgress(tasks: [note]))
        }
        try service.tell(ReportTask(task: snapshot(.running)))
        _ = delegate.wait(for: "response")
        try tell(3)
        _ = delegate.wait(for: "became")
        try tell(4)
        #expect(delegate.wait(for: "wrote 4").contains("wrote 4"))
    }
}
