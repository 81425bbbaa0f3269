// What only Linux has on a session: the tasks that `allTasks` leaves out.
import Foundation

extension URLSession {
    /// Linux only. The tasks that were made and never resumed, which `allTasks` leaves out as Apple's does: those
    /// of earlier processes, and this one's own.
    public var unresumedTasks: [URLSessionTask] {
        get async {
            await withCheckedContinuation { done in core.listUnresumed { done.resume(returning: $0) } }
        }
    }

    /// Linux only. The `taskDescription` of every task that the service has for this session: also of those that
    /// were never resumed, and of those that have ended and whose end was not acknowledged. Of what is missing
    /// here nothing will be heard any more.
    /// - Throws: when the service cannot be asked; never a part of them.
    public var descriptionsOfAllTasks: Set<String> {
        get async throws(ServiceError) {
            let (snapshots, failure) = await withCheckedContinuation { done in
                core.listSnapshots { done.resume(returning: ($0, $1)) }
            }
            if let failure { throw failure }
            return Set(snapshots.compactMap(\.description))
        }
    }
}
