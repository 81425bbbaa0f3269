// Partial files kept for resume data. Each can be taken once; what nobody takes the service clears away.
import Foundation

/// A partial file that a piece of resume data refers to by its token.
public struct PartialRecord: Sendable, Equatable {
    public var token: String
    /// The session whose task it was.
    public var session: Int64?
    /// The file's name in the service's folder of bodies.
    public var file: String
    public var bytes: Int64
    public var created: Date
    /// Bytes of it that survive a crash of the machine, and the boot under which that was so; see `TaskRecord`.
    public var syncedOffset: Int64
    public var boot: String?

    public init(
        token: String, session: Int64? = nil, file: String, bytes: Int64, created: Date,
        syncedOffset: Int64 = 0, boot: String? = nil
    ) {
        self.token = token
        self.session = session
        self.file = file
        self.bytes = bytes
        self.created = created
        self.syncedOffset = syncedOffset
        self.boot = boot
    }
}

extension TransferStore {
    private static let columns = "token, session, file, bytes, created, synced_offset, boot"

    public func keepPartial(_ partial: PartialRecord) throws(StoreError) {
        try database.run(
            "keep a partial file", "INSERT INTO partial (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                .text(partial.token), SQLValue(partial.session), .text(partial.file),
                .integer(partial.bytes), SQLValue(partial.created), .integer(partial.syncedOffset),
                SQLValue(partial.boot),
            ])
    }

    /// The partial file of a token, which from now on is the caller's; nil when it was taken before.
    public func takePartial(token: String) throws(StoreError) -> PartialRecord? {
        try database.rows(
            "take a partial file", "DELETE FROM partial WHERE token = ? RETURNING \(Self.columns)",
            [.text(token)], read: PartialRecord.init(row:)
        ).first
    }

    /// The partial files kept before a date.
    public func partials(keptBefore date: Date) throws(StoreError) -> [PartialRecord] {
        try database.rows(
            "list old partial files",
            "SELECT \(Self.columns) FROM partial WHERE created < ? ORDER BY created",
            [SQLValue(date)], read: PartialRecord.init(row:))
    }

    /// Every partial file that waits to be taken.
    public func partials() throws(StoreError) -> [PartialRecord] {
        try database.rows(
            "list the partial files", "SELECT \(Self.columns) FROM partial ORDER BY token",
            read: PartialRecord.init(row:))
    }
}

extension PartialRecord {
    fileprivate init(row: Row) {
        self.init(
            token: row.text(0), session: row.optionalInteger(1), file: row.text(2), bytes: row.integer(3),
            created: row.date(4), syncedOffset: row.integer(5), boot: row.optionalText(6))
    }
}
