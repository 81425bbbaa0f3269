// The delegate of `bgtool resume`: a line an event, files put in place, and who is still to be heard. Its
// callbacks come one at a time on the session's delegate queue.
import BackgroundURLSession
import Downloads
import Foundation

final class ResumeOwner: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate, @unchecked Sendable {
    // Unchecked: `answers` is the delegate queue's; the rest is guarded by `condition`.
    private static let longestAnswer = 4096

    let bars = ProgressBars()
    private let transfers: WishTransfers
    private var answers: [Int: Data] = [:]

    private let condition = NSCondition()
    private var expected: Set<Int> = []
    private var completed: Set<Int> = []
    private var expectsEndOfEvents = false
    private var isUnwell = false
    private var loss: ServiceError?

    init(book: WishBook) { transfers = WishTransfers(book: book) }

    // MARK: Who is still to be heard

    func expect(tasks: Set<Int>, endOfEvents: Bool) {
        condition.withLock {
            expected = tasks
            expectsEndOfEvents = endOfEvents
        }
    }

    /// Where they stand before there is news of them.
    func show(_ tasks: [URLSessionTask]) {
        for task in tasks {
            let sends = task is URLSessionUploadTask
            bars.update(
                task.taskIdentifier, name: task.label,
                done: sends ? task.countOfBytesSent : task.countOfBytesReceived,
                total: sends ? task.countOfBytesExpectedToSend : task.countOfBytesExpectedToReceive)
        }
        if !tasks.isEmpty { bars.draw() }
    }

    /// False when the time was over first.
    /// - Throws: what became of the service, when nothing can come any more.
    func waitForAll(seconds: Double?) throws(ServiceError) -> Bool {
        let deadline = seconds.map { Date().addingTimeInterval($0) }
        condition.lock()
        defer { condition.unlock() }
        while !expected.isSubset(of: completed) || expectsEndOfEvents {
            if let loss { throw loss }
            // Not `.distantFuture`: Foundation traps on it here.
            guard let deadline else {
                condition.wait()
                continue
            }
            if !condition.wait(until: deadline) { return false }
        }
        return true
    }

    /// For a person: what is not finished.
    var missing: String {
        let left = condition.withLock { expected.subtracting(completed).sorted() }
        return left.isEmpty ? "none" : "task " + left.map(String.init).joined(separator: ", ")
    }

    var allWell: Bool { condition.withLock { !isUnwell } }

    private func say(_ line: String, isWell: Bool = true) {
        bars.aside { Output.line(line) }
        if !isWell { condition.withLock { isUnwell = true } }
    }

    // MARK: Downloads

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {
        CrashPoint.didResume.reached()
        say("resumed \(downloadTask.words) offset=\(fileOffset)")
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        CrashPoint.didWrite.reached()
        bars.update(
            downloadTask.taskIdentifier, name: downloadTask.label, done: totalBytesWritten,
            total: totalBytesExpectedToWrite)
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        CrashPoint.didFinish.reached()
        if case .unacceptableStatus(let status)? = DownloadCheck(response: downloadTask.response)
            .answerProblem
        {
            return say("refused \(downloadTask.words) status=\(status)", isWell: false)
        }
        say("finished \(downloadTask.words) \(downloadTask.countOfBytesReceived)")
        switch transfers.settle(location, of: downloadTask) {
        case .unwanted, .arrived: break
        case .placed(let path):
            CrashPoint.afterPlacing.reached()
            say("saved \(downloadTask.taskIdentifier) \(path)")
            FinishRunner(book: transfers.book).run(downloadTask.taskDescription, path: path)
        case .rejected(let error, let path): kept(downloadTask, KeptReason.words(error, keptAt: path))
        case .stuck(let error):
            kept(downloadTask, KeptReason.words(error, task: downloadTask.taskIdentifier))
        }
    }

    private func kept(_ task: URLSessionTask, _ reason: String) {
        say("kept \(task.taskIdentifier) \(reason)", isWell: false)
    }

    // MARK: Uploads

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        CrashPoint.didSend.reached()
        bars.update(
            task.taskIdentifier, name: task.label, done: totalBytesSent, total: totalBytesExpectedToSend)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        CrashPoint.didReceive.reached()
        let room = Self.longestAnswer - answers[dataTask.taskIdentifier, default: Data()].count
        answers[dataTask.taskIdentifier, default: Data()].append(data.prefix(room))
    }

    private func sayAnswer(_ task: URLSessionUploadTask) {
        guard let status = (task.response as? HTTPURLResponse)?.statusCode else { return }
        let body = String(decoding: answers.removeValue(forKey: task.taskIdentifier) ?? Data(), as: UTF8.self)
        let first = body.split(whereSeparator: \.isNewline).first.map { " \($0)" } ?? ""
        say("answer \(task.words) status=\(status)\(first)", isWell: (200..<300).contains(status))
    }

    // MARK: The end

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        CrashPoint.didComplete.reached()
        bars.remove(task.taskIdentifier, hasArrived: error == nil)
        if error == nil, let upload = task as? URLSessionUploadTask { sayAnswer(upload) }
        close(task, error)
        if let error {
            say("complete \(task.taskIdentifier) \(Self.words(error))", isWell: Self.wasWanted(error))
        } else {
            say("complete \(task.taskIdentifier) nil")
        }
        condition.withLock {
            _ = completed.insert(task.taskIdentifier)
            condition.signal()
        }
        if (error as? URLError)?.code == .backgroundSessionWasDisconnected { isThere(session) }
    }

    private func close(_ task: URLSessionTask, _ error: (any Error)?) {
        let error = error as NSError?
        // Whoever paused it has the resume data already, and may have used it.
        let resumeData =
            error?.code == NSURLErrorCancelled
            ? nil : error?.userInfo[NSURLSessionDownloadTaskResumeData] as? Data
        transfers.close(task, resumeData: resumeData)
    }

    /// `NSURLErrorDomain -1100 the file …`.
    private static func words(_ error: any Error) -> String {
        let error = error as NSError
        return "\(error.domain) \(error.code) \(error.localizedDescription)"
    }

    /// A person's own cancellation is no failure; the system's is.
    private static func wasWanted(_ error: any Error) -> Bool {
        let error = error as NSError
        return error.code == NSURLErrorCancelled
            && error.userInfo[NSURLErrorBackgroundTaskCancelledReasonKey] == nil
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        CrashPoint.didFinishEvents.reached()
        // The end that is told when the service is gone for good is not the end of what it has kept.
        guard isThere(session) else { return }
        say("events finished")
        condition.withLock {
            expectsEndOfEvents = false
            condition.signal()
        }
    }

    /// Whether the session has its service; if not, nobody waits any more.
    @discardableResult
    private func isThere(_ session: URLSession) -> Bool {
        do throws(ServiceError) {
            try session.waitUntilAttached()
            return true
        } catch {
            condition.withLock {
                loss = error
                condition.signal()
            }
            return false
        }
    }
}

extension URLSessionTask {
    var label: String { taskDescription ?? "-" }
    /// `ID NAME`, as the lines have it.
    var words: String { "\(taskIdentifier) \(label)" }
}
