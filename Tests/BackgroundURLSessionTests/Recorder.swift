// A delegate that writes down what it hears, in order.
import Foundation

@testable import BackgroundURLSession

final class Recorder: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate, @unchecked Sendable {
    // Unchecked: `lines` is guarded by `condition`; the closures are set before the session is made.
    private let condition = NSCondition()
    private var lines: [String] = []
    private(set) var tasks: [ObjectIdentifier] = []
    var onFile: (URLSessionDownloadTask, URL) -> Void = { _, _ in }
    var onInvalid: () -> Void = {}
    var onComplete: (URLSessionTask, (any Error)?) -> Void = { _, _ in }

    func note(_ line: String, _ task: URLSessionTask? = nil) {
        condition.withLock {
            lines.append(line)
            if let task { tasks.append(ObjectIdentifier(task)) }
            condition.broadcast()
        }
    }

    var heard: [String] { condition.withLock { lines } }

    /// Waits until a line begins so; gives everything heard until then.
    func wait(for beginning: String, seconds: Double = 10) -> [String] {
        let deadline = Date(timeIntervalSinceNow: seconds)
        return condition.withLock {
            while !lines.contains(where: { $0.hasPrefix(beginning) }), condition.wait(until: deadline) {}
            return lines
        }
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        onInvalid()
        note("invalid \(error.map { "\($0)" } ?? "nil")")
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) { note("events finished") }

    func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
        note("created \(task.taskIdentifier)", task)
    }

    func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
        note("waiting \(task.taskIdentifier)", task)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        note("sent \(task.taskIdentifier) \(bytesSent) \(totalBytesSent) \(totalBytesExpectedToSend)", task)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        note("data \(dataTask.taskIdentifier) \(data.count)", dataTask)
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        note(
            "wrote \(downloadTask.taskIdentifier) \(bytesWritten) \(totalBytesWritten) "
                + "\(totalBytesExpectedToWrite)",
            downloadTask)
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {
        note("resumed \(downloadTask.taskIdentifier) \(fileOffset) \(expectedTotalBytes)", downloadTask)
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        onFile(downloadTask, location)
        note("file \(downloadTask.taskIdentifier)", downloadTask)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        onComplete(task, error)
        let code = error.map { "\(($0 as NSError).code)" } ?? "nil"
        note("complete \(task.taskIdentifier) \(code)", task)
    }
}
