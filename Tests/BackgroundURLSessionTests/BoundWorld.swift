// What the tests of process-bound sessions share: a session with a recorder, and a server that answers by path.
import Foundation
import Testing

@testable import BackgroundURLSession

/// A process-bound session, never invalidated, whose delegate writes down what it hears.
final class BoundWorld: @unchecked Sendable {
    let recorder = AnswerRecorder()
    let session: URLSession

    init(
        _ configuration: URLSessionConfiguration = .ephemeral,
        change: (URLSessionConfiguration) -> Void = { _ in }
    ) {
        change(configuration)
        session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
    }
}

/// Bytes that differ from place to place.
func sampleBytes(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
}

extension RawServer {
    func address(_ path: String = "/") -> URL {
        guard let address = URL(string: url(path)) else { preconditionFailure("\(path) is no path") }
        return address
    }

    /// Answers every request with these bytes.
    convenience init(bytes: [UInt8], head: String = "HTTP/1.1 200 OK\r\n") {
        self.init { connection, _ in
            while connection.request() != nil { connection.sendBody(bytes, head: head) }
        }
    }

    /// Answers every request with its own method and body.
    static func echo() -> RawServer {
        RawServer { connection, _ in
            while let request = connection.request() {
                connection.sendBody(Array(request.line.utf8) + [0x0A] + request.body)
            }
        }
    }
}

/// A delegate that writes down what it hears and answers as the test says.
final class AnswerRecorder: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate, @unchecked Sendable
{
    // Unchecked: guarded by `lock`; the closures are set before the first task.
    private let lock = NSLock()
    private var lines: [String] = []
    private var body: [UInt8] = []
    var disposition: @Sendable () -> URLSession.ResponseDisposition? = { .allow }
    var bodyStream: @Sendable () -> InputStream? = { nil }
    var onData: @Sendable () -> Void = {}
    var onComplete: @Sendable (any Error) -> Void = { _ in }

    func note(_ line: String) {
        lock.withLock { lines.append(line) }
    }

    var heard: [String] { lock.withLock { lines } }
    var received: [UInt8] { lock.withLock { body } }

    /// Waits until a line begins so; gives everything heard until then. Blocks no thread: answers that a delegate
    /// leaves to its default come through Swift's pool, which is small.
    @discardableResult
    func wait(for line: String, seconds: Double = 60) async -> [String] {
        let deadline = Date(timeIntervalSinceNow: seconds)
        while !heard.contains(where: { $0.hasPrefix(line) }), Date() < deadline {
            try? await Task.sleep(nanoseconds: 10_000_000)
        }
        return heard
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        note("response \((response as? HTTPURLResponse)?.statusCode ?? 0)")
        if let disposition = disposition() { completionHandler(disposition) }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask,
        didBecome downloadTask: URLSessionDownloadTask
    ) { note("became \(downloadTask.taskIdentifier)") }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask,
        didReceive data: Data
    ) {
        lock.withLock {
            body += data
            if lines.last != "data" { lines.append("data") }
        }
        onData()
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        note("stream wanted")
        completionHandler(bodyStream())
    }

    func urlSession(
        _ session: URLSession,
        taskIsWaitingForConnectivity task: URLSessionTask
    ) { note("waiting") }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) { note("resumed \(fileOffset)") }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        let contents = FileManager.default.contents(atPath: location.path) ?? Data()
        lock.withLock { body = [UInt8](contents) }
        note("file \(contents.count)")
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        if let error { onComplete(error) }
        note("complete \(error.map { "\(($0 as NSError).code)" } ?? "nil")")
    }

    func urlSession(
        _ session: URLSession, didBecomeInvalidWithError error: (any Error)?
    ) { note("invalid") }
}
