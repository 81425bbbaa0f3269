// Group commit. Everything that happens in one go of the queue shares a transaction; what the outside may
// hear (replies, events, bytes asked for) waits until it is committed.
import Foundation
import TransferProtocol
import TransferStore

/// The writes of one go, and what follows when they are on disk.
@TransferActor
final class Turn {
    private let store: TransferStore
    private var isOpen = false
    private var followUps: [FollowUp] = []
    private var tellProblem: (StoreError) -> Void

    private struct FollowUp {
        var committed: () -> Void
        var failed: (StoreError) -> Void
    }

    /// - Parameter tellProblem: hears of every commit that failed.
    init(store: TransferStore, tellProblem: @escaping (StoreError) -> Void) {
        self.store = store
        self.tellProblem = tellProblem
    }

    /// Writes now, within this go's transaction.
    func write<Result>(_ body: (TransferStore) throws(StoreError) -> Result) throws(StoreError) -> Result {
        try open()
        return try body(store)
    }

    /// Runs `committed` when everything written so far is on disk: at once if nothing is being written.
    func afterCommit(
        _ committed: @escaping () -> Void, failed: @escaping (StoreError) -> Void = { _ in }
    ) {
        guard isOpen else { return committed() }
        followUps.append(FollowUp(committed: committed, failed: failed))
    }

    private func open() throws(StoreError) {
        guard !isOpen else { return }
        try store.begin()
        isOpen = true
        // Whatever is in the queue already joins this transaction; the commit comes behind it.
        TransferActor.enqueue { self.close() }
    }

    /// Commits now instead of at the end of the go; for a service that is about to leave.
    func close() {
        guard isOpen else { return }
        isOpen = false
        let due = followUps
        followUps = []
        do {
            CrashPoint.beforeCommit.reached()
            try store.commit()
            CrashPoint.afterCommit.reached()
            for followUp in due { followUp.committed() }
        } catch {
            store.rollback()
            tellProblem(error)
            for followUp in due { followUp.failed(error) }
        }
    }
}
