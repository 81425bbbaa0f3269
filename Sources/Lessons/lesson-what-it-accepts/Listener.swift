// A delegate that prints what it hears of tasks, by their descriptions.
import BackgroundURLSession
import Foundation

final class Listener: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate, @unchecked Sendable {
    // Unchecked: everything is guarded by `condition`.
    private let condition = NSCondition()
    private var answers: [Int: Data] = [:]
    private var endedCount = 0
    private var hasFinishedEvents = false

    func waitForEnds(_ count: Int) {
        let deadline = Date(timeIntervalSinceNow: 60)
        condition.withLock { while endedCount < count, condition.wait(until: deadline) {} }
    }

    func waitForEvents() {
        let deadline = Date(timeIntervalSinceNow: 60)
        condition.withLock { while !hasFinishedEvents, condition.wait(until: deadline) {} }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        say("response \(name(dataTask)) \((response as? HTTPURLResponse)?.statusCode ?? 0)")
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        condition.withLock { answers[dataTask.taskIdentifier, default: Data()].append(data) }
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        let size = (try? FileManager.default.attributesOfItem(atPath: location.path)[.size] as? Int) ?? -1
        say("file \(name(downloadTask)) \(size) in \(location.deletingLastPathComponent().path)")
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        if let answer = condition.withLock({ answers.removeValue(forKey: task.taskIdentifier) }) {
            let text = String(data: answer.prefix(60), encoding: .utf8) ?? ""
            say("answer \(name(task)) \(answer.count) \(text.prefix { $0 != "\n" })")
        }
        let outcome =
            (error as NSError?).map { "\($0.domain) \($0.code) \($0.localizedDescription)" } ?? "nil"
        say("complete \(name(task)) \(outcome)")
        condition.withLock {
            endedCount += 1
            condition.broadcast()
        }
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        say("events finished")
        condition.withLock {
            hasFinishedEvents = true
            condition.broadcast()
        }
    }

    private func name(_ task: URLSessionTask) -> String { task.taskDescription ?? "\(task.taskIdentifier)" }
}

/// A line on standard output, at once.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
