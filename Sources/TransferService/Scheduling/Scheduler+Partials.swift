// Partial files that wait for resume data to come back. Nobody says when data is thrown away, so they do not
// wait for ever. On the actor's queue.
import Foundation
import TransferStore

extension Scheduler {
    /// Seconds for which the bytes behind resume data are kept: 30 days. Data that comes later begins at 0.
    static let partialLife: TimeInterval = 30 * 86_400

    /// Lets go of the partial files that nobody came back for. Asked when the service begins, and when another
    /// one is kept: only then are there more than before.
    func expirePartials(now: Date) throws(StoreError) {
        for old in try store.partials(keptBefore: now.addingTimeInterval(-Self.partialLife)) {
            let taken = try turn.write { store throws(StoreError) in try store.takePartial(token: old.token) }
            guard let taken else { continue }
            turn.afterCommit { [bodies] in
                bodies.remove(taken)
                ServiceLog.note(
                    "resume data of \(taken.created) was not used; its \(taken.bytes) bytes are gone")
            }
        }
    }
}
