// How a task with a begin date begins when its owner is there and wants to be asked. An owner that is not, or
// leaves without an answer, means that it begins as it is. On the actor's queue, like the rest of the scheduler.
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

    /// - Parameter request: instead of the original one; nil leaves that.
    func begin(key: Int64, request: RequestRecord?) throws(StoreError) {
        try perform(.begins(request), key: key)
        if let task = try store.task(key: key) { try admit(lane: task.lane) }
    }
}
