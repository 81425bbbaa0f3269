// Group commit. Everything that happens in one go of the queue shares a transaction; what the outside may
// hear (replies, events, bytes asked for) waits until it is committed.
import Foundation
import TransferProtocol
import TransferStore

/// The writes of one go, and what follows when they are on disk.
@TransferActor
final class Turn {
    /// Called when everything of this go is on disk, before anybody is told.
    var whenCommitted: () -> Void = {}
    /// Called when nothing of this go is on disk, before those who wait for it are told.
    var whenFailed: (StoreError) -> Void = { _ in }

    private let store: TransferStore
    private(set) var isOpen = false
    private var followUps: [FollowUp] = []
    private var lastWrites: [@TransferActor @Sendable () -> Void] = []
    /// A write of this go has failed: what belongs together must not be on disk by half.
    private var failure: StoreError?

    private struct FollowUp {
        var committed: () -> Void
        var failed: (StoreError) -> Void
    }

    init(store: TransferStore) { self.store = store }

    /// Writes now, within this go's transaction. After an error nothing of this go is kept; that a row is gone
    /// is an answer and no error here.
    func write<Result>(_ body: (TransferStore) throws(StoreError) -> Result) throws(StoreError) -> Result {
        if let failure { throw failure }
        try open()
        do {
            return try body(store)
        } catch {
            if error.kind != .missing { failure = error }
            throw error
        }
    }

    /// Runs `committed` when everything written so far is on disk: at once if nothing is being written.
    func afterCommit(
        _ committed: @escaping () -> Void, failed: @escaping (StoreError) -> Void = { _ in }
    ) {
        guard isOpen else { return committed() }
        followUps.append(FollowUp(committed: committed, failed: failed))
    }

    /// Runs `work` behind this go's other news and in its transaction: what follows from one task's end shares
    /// its commit, and does not nest inside it.
    func beforeCommit(_ work: @escaping @TransferActor @Sendable () -> Void) {
        if isOpen { lastWrites.append(work) } else { TransferActor.enqueue(work) }
    }

    private func open() throws(StoreError) {
        guard !isOpen else { return }
        do {
            try store.begin()
        } catch {
            whenFailed(error)
            throw error
        }
        isOpen = true
        // Whatever is in the queue already joins this transaction; the commit comes behind it.
        TransferActor.enqueue { self.close() }
    }

    /// Commits now instead of at the end of the go; for a service that is about to leave.
    func close() {
        guard isOpen else { return }
        // What could not be written has no consequences; they are drawn from what is on disk then.
        while failure == nil, !lastWrites.isEmpty { lastWrites.removeFirst()() }
        lastWrites.forEach(TransferActor.enqueue)
        lastWrites = []
        isOpen = false
        let due = followUps
        followUps = []
        do {
            try commit()
        } catch {
            store.rollback()
            whenFailed(error)
            for followUp in due { followUp.failed(error) }
            return
        }
        whenCommitted()
        for followUp in due { followUp.committed() }
    }

    private func commit() throws(StoreError) {
        defer { failure = nil }
        if let failure { throw failure }
        CrashPoint.beforeCommit.reached()
        try store.commit()
        CrashPoint.afterCommit.reached()
    }
}
