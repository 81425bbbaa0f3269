// What the service remembers, in its own words. It knows SQLite and nothing of sockets, HTTP or scheduling.
// One owner: all calls come from one serial queue (set `ownerCheck`, and debug builds hold you to it).
import Foundation
import TransferProtocol

/// The tasks, sessions, waiting events and partial files of one user.
///
/// A call outside of a transaction is durable when it returns. For speed the service calls ``begin()`` before
/// the first write of a turn and ``commit()`` once at its end, and tells no one before.
public final class TransferStore {
    let database: Database
    /// Configurations do not change once written; each task asks for its own.
    var configurations: [Int64: SessionConfigurationRecord] = [:]
    var recent = RecentTasks()

    /// Rows that could not be read and were moved to the table `quarantine`, since the owner last emptied this.
    public var quarantined: [QuarantinedRow] = []
    /// Called when a row has come into `quarantined`, in the middle of whatever met it: look later.
    public var whenQuarantined: (() -> Void)?

    init(database: Database) { self.database = database }

    /// Called before each use in debug builds:
    /// `store.ownerCheck = { dispatchPrecondition(condition: .onQueue(queue)) }`.
    public var ownerCheck: (() -> Void)? {
        get { database.ownerCheck }
        set { database.ownerCheck = newValue }
    }

    // MARK: - Group commit

    /// Whether ``begin()`` was called, and neither ``commit()`` nor ``rollback()`` since.
    public var isInTransaction: Bool { database.isInTransaction }

    /// Opens a transaction unless one is open.
    public func begin() throws(StoreError) { try database.begin() }

    /// Makes everything since ``begin()`` durable. When it throws, all of that has been rolled back, and the
    /// store is ready for the next transaction. Does nothing when no transaction is open.
    public func commit() throws(StoreError) {
        do {
            try database.commit()
        } catch {
            forgetUnwritten()
            throw error
        }
    }

    /// Forgets everything since ``begin()``, keys that were given included: they will be given again.
    ///
    /// Some errors (no room, a failed write) lose the whole transaction, not only the call that met them. Every
    /// later call then throws the same error until this one.
    public func rollback() {
        forgetUnwritten()
        database.rollback()
    }

    /// What was kept in memory may not be on disk.
    private func forgetUnwritten() {
        configurations = [:]
        recent.forgetAll()
    }
}
