// How the scheduler lets tasks wait for power or for another network. On the actor's queue, like the rest of it.
import Foundation
import TransferProtocol
import TransferStore

extension Scheduler {
    /// Puts a task aside that may not begin in the machine's present condition; false when it may.
    func isHeldBack(
        _ task: TaskRecord, _ configuration: SessionConfigurationRecord
    ) throws(StoreError) -> Bool {
        var needs = TransferNeeds(TaskConditions(configuration, task.request))
        if task.begunInWake { needs.isDiscretionary = true }
        guard let obstacle = gate.obstacle(to: needs, key: task.key) else { return false }
        // The first look is over in a moment, and no news.
        try perform(.heldBack(reason: obstacle.reason, isNews: obstacle != .unknown), key: task.key)
        return true
    }

    /// All that may begin are queued before the first does: the one of the highest priority.
    func conditionsWereSeen() {
        var lanes: Set<String> = []
        do throws(StoreError) {
            for (key, obstacle) in gate.changes {
                if let obstacle {
                    try perform(.heldBack(reason: obstacle.reason, isNews: true), key: key)
                } else if let task = try store.task(key: key) {
                    try perform(.letGo, key: key)
                    lanes.insert(task.lane)
                }
                gate.taken(key, obstacle)
            }
            for lane in lanes.sorted() { try admit(lane: lane) }
        } catch {
            couldNot("let transfers wait for power or network", error)
        }
    }
}
