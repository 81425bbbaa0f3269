// Finished bodies reach the disk a moment after their tasks have ended: an owner that is there has had the
// file by then, and its bytes are the owner's to look after.
import Dispatch
import TransferStore

@TransferActor
final class LateSync {
    private static let delay = 1.0

    private let bodies: BodyFolder
    /// The task, and how many of its bytes are safe.
    private let report: @TransferActor @Sendable (TaskRecord, Int64) -> Void
    private var unsynced: [Int64: TaskRecord] = [:]

    init(
        _ bodies: BodyFolder, report: @escaping @TransferActor @Sendable (TaskRecord, Int64) -> Void
    ) {
        self.bodies = bodies
        self.report = report
    }

    func add(_ task: TaskRecord) {
        unsynced[task.key] = task
        guard unsynced.count == 1 else { return }
        TransferActor.queue.asyncAfter(deadline: .now() + Self.delay) { [weak self] in
            TransferActor.assumeIsolated { self?.syncAll() }
        }
    }

    /// Its body is nobody's any more.
    func forget(_ key: Int64) { unsynced[key] = nil }

    private func syncAll() {
        let due = unsynced.values.sorted { $0.key < $1.key }
        unsynced = [:]
        for task in due {
            bodies.sync(task) { [report] length in report(task, length) }
        }
    }
}
