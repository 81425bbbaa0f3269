// The progress board behind a lock: the delegate queue writes it, anybody reads it.

import BackgroundURLSession
import Foundation

final class GuardedBoard: @unchecked Sendable {
    // Unchecked: `board` is touched only while `lock` is held.
    private let lock = NSLock()
    private var board = ProgressBoard()

    var value: ProgressBoard { lock.withLock { board } }

    @discardableResult
    func note(_ name: String, done: Int64, total: Int64) -> ProgressBoard {
        lock.withLock {
            board.note(name, done: done, total: total)
            return board
        }
    }

    func note(_ task: URLSessionTask) {
        guard let name = task.taskDescription else { return }
        note(name, done: task.countOfBytesReceived, total: task.countOfBytesExpectedToReceive)
    }

    func remove(_ name: String) { lock.withLock { board.remove(name) } }
}
