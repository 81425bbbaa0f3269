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
    private var kept: Set<String> = []

    init(
        transfers: WishTransfers, board: GuardedBoard,
        progress: @escaping @Sendable (ProgressBoard) -> Void
    ) {
        self.transfers = transfers
        self.board = board
        self.progress = progress
    }

    /// Of results that are left with the service.
    var keptNames: Set<String> { lock.withLock { kept } }

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
        guard desk != nil else { return downloadTask.keepUndelivered() }
        let settlement = transfers.settle(location, of: downloadTask)
        settlements[downloadTask.taskIdentifier] = settlement
        guard case .stuck = settlement, let name = downloadTask.taskDescription else { return }
        lock.withLock { _ = kept.insert(name) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let desk else { return task.keepUndelivered() }
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
        case .rejected(let error, _), .stuck(let error): return .failure(error)
        }
    }
}
