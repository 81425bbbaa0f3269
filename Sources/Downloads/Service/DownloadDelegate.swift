// Hears the session's tasks, settles their files before it returns, and calls whoever waits. On the delegate
// queue, one message at a time; only when it has returned is an event acknowledged.

import BackgroundURLSession
import Foundation

final class DownloadDelegate: NSObject, URLSessionDownloadDelegate, @unchecked Sendable {
    // Unchecked: `settlements` and `closed` belong to the delegate queue; `desk` is set once, before the first message;
    // the rest is guarded by `lock`.
    weak var desk: DownloadDesk?
    private let transfers: WishTransfers
    private let board: GuardedBoard
    private let progress: @Sendable (ProgressBoard) -> Void
    private var settlements: [Int: Settlement] = [:]

    /// Wishes that have their outcome and whose acknowledgement goes out when this message returns.
    private var closed: Set<String> = []

    private let lock = NSLock()
    private var hasFinishedEvents = false
    private var waiter: CheckedContinuation<Void, Never>?
    private var isInvalid = false

    init(
        transfers: WishTransfers, board: GuardedBoard,
        progress: @escaping @Sendable (ProgressBoard) -> Void
    ) {
        self.transfers = transfers
        self.board = board
        self.progress = progress
    }

    /// The session is no more, or will be at once: of a task that is made now nothing would be heard.
    var hasEnded: Bool { lock.withLock { isInvalid } }

    func noteEnd() { lock.withLock { isInvalid = true } }

    /// Returns when everything that waited for an owner has been delivered. For one caller.
    func waitForEvents() async {
        await withCheckedContinuation { done in
            let isOver = lock.withLock {
                if !hasFinishedEvents { waiter = done }
                return hasFinishedEvents
            }
            if isOver { done.resume() }
        }
    }

    // MARK: Messages

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        guard let name = downloadTask.taskDescription else { return }
        progress(board.note(name, done: totalBytesWritten, total: totalBytesExpectedToWrite))
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        // Whoever let go of the service leaves its results to the next one.
        guard desk != nil else { return keep(downloadTask, of: session) }
        settlements[downloadTask.taskIdentifier] = transfers.settle(location, of: downloadTask)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let desk else { return keep(task, of: session) }
        let settlement = settlements.removeValue(forKey: task.taskIdentifier)
        let result: Result<Downloaded, DownloadError>
        var arrival: String?
        if let error {
            result = .failure(DownloadError(transport: error))
        } else {
            let settlement = settlement ?? transfers.recall(task)
            if case .arrived(let path) = settlement { arrival = path }
            result = Self.result(of: settlement)
        }
        for call in desk.ended(task, result) { call() }
        if let name = task.taskDescription { board.remove(name) }
        if let name = transfers.close(task) { sweepSoon(name, desk) }
        if let arrival { unlink(arrival) }
    }

    /// A session that ends with its process has no next one.
    private func keep(_ task: URLSessionTask, of session: URLSession) {
        if session.configuration.identifier != nil { task.keepUndelivered() }
    }

    /// Behind this message, and so behind its acknowledgement; together with those that end meanwhile.
    private func sweepSoon(_ name: String, _ desk: DownloadDesk) {
        closed.insert(name)
        guard closed.count == 1 else { return }
        desk.delegateQueue.addOperation { [self, weak desk] in
            desk?.sweep(closed: closed)
            closed = []
        }
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        let waiter = lock.withLock {
            hasFinishedEvents = true
            defer { self.waiter = nil }
            return self.waiter
        }
        waiter?.resume()
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        noteEnd()
        for call in desk?.ended() ?? [] { call() }
    }

    private static func result(of settlement: Settlement) -> Result<Downloaded, DownloadError> {
        switch settlement {
        case .placed(let path): return .success(.file(path))
        case .arrived(let path):
            do {
                return .success(.bytes(try Data(contentsOf: URL(fileURLWithPath: path))))
            } catch {
                return .failure(.fileSystem(error as NSError))
            }
        case .unwanted: return .success(.bytes(Data()))
        case .rejected(let error, keptAt: let path?): return .failure(.keptAside(error, at: path))
        case .rejected(let error, keptAt: nil), .stuck(let error): return .failure(error)
        }
    }
}
