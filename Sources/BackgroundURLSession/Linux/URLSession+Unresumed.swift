// What only Linux has on a session: the tasks whose maker died before it could resume them.
import Foundation

extension URLSession {
    /// Linux only. The tasks that were made and never resumed, which `allTasks` leaves out as Apple's does: those
    /// of earlier processes, and this one's own.
    public var unresumedTasks: [URLSessionTask] {
        get async {
            await withCheckedContinuation { done in core.listUnresumed { done.resume(returning: $0) } }
        }
    }
}
