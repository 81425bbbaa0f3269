// How a task with a begin date begins when its owner is there and wants to be asked. An owner that is not, or
// leaves without an answer, means that it begins as it is; one that lost its service meanwhile is asked again.
// On the actor's queue, like the rest of the scheduler.
import Foundation
import TransferProtocol
import TransferStore

extension Scheduler {
    /// Asks the owner, and puts the task aside until it has answered; false when there is nobody to ask.
    func isAskedAbout(_ task: TaskRecord) throws(StoreError) -> Bool {
        guard task.earliestBeginDate != nil, !task.hasBegun, let observer, observer.mayAsk(about: task) else {
            return false
        }
        try perform(.asked, key: task.key)
        turn.afterCommit { observer.ask(about: task) }
        return true
    }

    /// Seconds for which an owner that lost its service in the middle of such a question is waited for.
    static let ownersReturn = 10.0

    func askOnceMore(_ task: TaskRecord) {
        turn.afterCommit { [weak self] in
            guard let self, !self.askNow(task) else { return }
            self.awaitOwners.insert(task.key)
            self.time.ring(after: Self.ownersReturn) { [weak self] in
                guard let self, self.awaitOwners.remove(task.key) != nil else { return }
                do throws(StoreError) {
                    try self.begin(key: task.key, request: nil)
                } catch {
                    self.couldNot("begin task \(task.key)", error)
                }
            }
        }
    }

    /// An owner has come.
    func askOnceMore(session: Int64) throws(StoreError) {
        for key in awaitOwners.sorted() {
            guard let task = try store.task(key: key), task.session == session, askNow(task) else { continue }
            awaitOwners.remove(key)
        }
    }

    /// False when there is nobody to ask.
    private func askNow(_ task: TaskRecord) -> Bool {
        guard let observer, observer.mayAsk(about: task) else { return false }
        observer.ask(about: task)
        return true
    }

    /// - Parameter request: instead of the original one; nil leaves that.
    func begin(key: Int64, request: RequestRecord?) throws(StoreError) {
        try perform(.begins(request), key: key)
        if let task = try store.task(key: key) { try admit(lane: task.lane) }
    }
}
