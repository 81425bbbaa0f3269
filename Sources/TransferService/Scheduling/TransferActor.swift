// The one place where the service thinks: a global actor on a serial queue of its own. Sockets, timers and
// curl's thread enqueue on that queue, so that events are taken in the order in which they happened; a
// `Task` for each event would not keep it.
import Dispatch

@globalActor
actor TransferActor {
    static let shared = TransferActor()
    /// Everything isolated to this actor runs here.
    static let queue = DispatchQueue(label: "transfer-service")

    private let executor = QueueExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Runs `operation` later, after everything that is enqueued already. From any thread.
    static func enqueue(_ operation: @escaping @TransferActor @Sendable () -> Void) {
        queue.async { assumeIsolated(operation) }
    }

    /// For callbacks that dispatch runs on the queue; traps anywhere else.
    static func assumeIsolated<Result>(_ operation: @TransferActor () throws -> Result) rethrows -> Result {
        dispatchPrecondition(condition: .onQueue(queue))
        // The isolation is proven by the line above; the type system has no way to say so for a global
        // actor other than the main one.
        typealias Plain = () throws -> Result
        return try withoutActuallyEscaping(operation) { try unsafeBitCast($0, to: Plain.self)() }
    }

    private final class QueueExecutor: SerialExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            TransferActor.queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }

        func checkIsolated() { dispatchPrecondition(condition: .onQueue(TransferActor.queue)) }
    }
}
