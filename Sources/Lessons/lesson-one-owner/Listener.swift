// A delegate that prints what it hears, under a name.
import BackgroundURLSession
import Foundation

final class Listener: NSObject, URLSessionDownloadDelegate, @unchecked Sendable {
    // Unchecked: guarded by `condition`.
    private let name: String
    private let condition = NSCondition()
    private var ended: [Int] = []

    init(_ name: String) { self.name = name }

    /// Waits until so many tasks have ended; which they were, in order.
    func waitForEnds(_ count: Int, seconds: Double = 60) -> [Int] {
        let deadline = Date(timeIntervalSinceNow: seconds)
        return condition.withLock {
            while ended.count < count, condition.wait(until: deadline) {}
            return ended
        }
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {}

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        let outcome =
            if let error = error as NSError? {
                "\(error.domain) \(error.code) \(error.localizedDescription)"
            } else {
                "nil"
            }
        say("\(name): complete \(task.taskIdentifier) \(outcome)")
        condition.withLock {
            ended.append(task.taskIdentifier)
            condition.broadcast()
        }
    }
}

/// A line on standard output, at once.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
