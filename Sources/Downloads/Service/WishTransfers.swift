// What is done alike with every wish's task, whoever decides when it begins and whom its end is told: begun and
// written down, its file settled, its record closed. Any thread; a file is settled inside the delegate's method.

import BackgroundURLSession
import Foundation

public struct WishTransfers: Sendable {
    public let book: WishBook
    private let settler: FileSettler

    /// - Parameter holdsArrivals: bytes without a destination are wanted all the same.
    public init(book: WishBook, holdsArrivals: Bool = false) {
        self.book = book
        settler = FileSettler(book: book, holdsArrivals: holdsArrivals)
    }

    /// Makes the task of a wish that was claimed, and writes it down.
    /// - Parameters:
    ///   - resumeData: where it goes on. The request's fields count all the same: a token may have expired.
    ///   - resume: resumes the task, and does with it what else there is to do before.
    @discardableResult
    public func begin(
        _ name: String, _ request: URLRequest, from resumeData: Data?, in session: URLSession,
        resume: (URLSessionDownloadTask) -> Void
    ) -> URLSessionDownloadTask {
        let task = make(name, request, from: resumeData, in: session)
        resume(task)
        // Behind it: whoever dies between the two leaves a transfer that is recorded by name.
        book.open(name, task: task.taskIdentifier)
        return task
    }

    /// Makes the task of a wish, and no more: for whoever writes down wish and task at once, before it is resumed.
    public func make(
        _ name: String, _ request: URLRequest, from resumeData: Data? = nil, in session: URLSession
    ) -> URLSessionDownloadTask {
        let task =
            resumeData.map {
                session.downloadTask(withResumeData: $0, renewing: request.allHTTPHeaderFields ?? [:])
            } ?? session.downloadTask(with: request)
        task.taskDescription = name
        return task
    }

    /// What becomes of a file that has arrived. One that is stuck stays with the service: it can be had again,
    /// when there is room or a place for it.
    /// - Parameter file: what `didFinishDownloadingTo` was given.
    public func settle(_ file: URL, of task: URLSessionTask) -> Settlement {
        let settlement = settler.settle(file.path, of: task)
        if case .stuck = settlement { task.keepUndelivered() }
        return settlement
    }

    /// See `FileSettler.recall`.
    func recall(_ task: URLSessionTask) -> Settlement { settler.recall(task) }

    /// The task has had its last word. What is kept for another process will come again.
    /// - Parameter resumeData: where the next start of a wish that failed goes on.
    /// - Returns: the wish's name, if its record was closed.
    @discardableResult
    public func close(_ task: URLSessionTask, resumeData: Data? = nil) -> String? {
        guard !task.isKeptUndelivered, let name = task.taskDescription else { return nil }
        book.close(name, task: task.taskIdentifier, resumeData: resumeData)
        return name
    }
}
