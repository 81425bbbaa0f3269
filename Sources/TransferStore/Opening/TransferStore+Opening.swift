// Opening: look first, touch afterwards. A file that cannot be used is set aside, never overwritten, and
// the service begins anew with an empty one rather than not at all.
import CSQLite
import Foundation

extension TransferStore {
    /// Opens the store at `path`, or begins one. The folder must exist.
    ///
    /// A damaged file is moved to `<path>.damaged-<time>`, one written by a later version to
    /// `<path>.newer-<version>-<time>`, each with its journal; `setAside` then says so.
    public static func open(
        at path: String
    ) throws(StoreError) -> (store: TransferStore, setAside: SetAside?) {
        let file = StoreFile(path: path)
        if let finding = try examine(file) {
            let aside = try file.moveAside(finding.reason, message: finding.message, at: Date())
            return (try begin(file), aside)
        }
        do {
            return (try begin(file), nil)
        } catch {
            // What the look did not see, the migration or the pruning did.
            guard error.isDamage else { throw error }
            let aside = try file.moveAside(.damaged, message: error.message, at: Date())
            return (try begin(file), aside)
        }
    }

    /// A store that lives in memory and dies with this object: for sessions bound to their process.
    public static func inMemory() throws(StoreError) -> TransferStore {
        try TransferStore(database: prepared(Database(path: ":memory:")))
    }

    private static func begin(_ file: StoreFile) throws(StoreError) -> TransferStore {
        let isNew = try file.make()
        do {
            return try TransferStore(database: prepared(Database(path: file.path)))
        } catch {
            if isNew { file.removeMade() }
            throw error
        }
    }

    private static func prepared(_ database: Database) throws(StoreError) -> Database {
        // FULL: a commit that was reported survives the machine. The journal is written back every 4 MB and
        // cut to 8 MB after a burst. Of pages half a MB is kept in memory: the kernel has the others.
        try database.execute(
            "set up the connection",
            """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
            PRAGMA wal_autocheckpoint = 1000; PRAGMA journal_size_limit = 8388608;
            PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF; PRAGMA cache_size = -512;
            """)
        try Schema.migrate(database)
        // Configurations that nothing refers to any more. Here, because a new attachment can leave one behind
        // at any time, and because this runs once a life.
        try database.run(
            "remove unused configurations",
            """
            DELETE FROM configuration
            WHERE NOT EXISTS (SELECT 1 FROM session WHERE session.configuration = configuration.id)
            AND NOT EXISTS (SELECT 1 FROM task WHERE task.configuration = configuration.id)
            """)
        return database
    }

    // MARK: - Looking

    private typealias Finding = (reason: SetAside.Reason, message: String)

    /// What speaks against using the file; nil when it is sound or not there.
    private static func examine(_ file: StoreFile) throws(StoreError) -> Finding? {
        if file.hasOrphanedJournal { return (.damaged, "the database is gone, its journal is not") }
        guard let length = file.length else { return nil }
        if length == 0 { return (.damaged, "the file is empty") }
        do {
            return try examineContents(Database(path: file.path))
        } catch {
            // One wrong byte in its head, and a database calls itself read-only.
            let isDamage = error.isDamage || (error.kind == .readOnly && access(file.path, W_OK) == 0)
            guard isDamage else { throw error }
            return (.damaged, error.message)
        }
    }

    private static func examineContents(_ database: Database) throws(StoreError) -> Finding? {
        database.leaveFilesOnClose()
        let attempt = "examine the database"
        // These two stand in the file's head: they can be read even if this SQLite cannot read the tables.
        let application = try database.integer(attempt, "PRAGMA application_id")
        let version = try database.integer(attempt, "PRAGMA user_version")
        if application == Schema.applicationID, version > Schema.version {
            return (.newer(version: Int(version)), "format \(version); this program knows \(Schema.version)")
        }
        let tables = try database.integer(attempt, "SELECT count(*) FROM sqlite_schema")
        // A crash before the first table leaves a sound and empty database.
        if application == 0, version == 0, tables == 0 { return nil }
        guard application == Schema.applicationID else {
            return (.damaged, "the database belongs to another program")
        }
        guard version > 0 else { return (.damaged, "there is no format \(version)") }
        let check = try database.rows(attempt, "PRAGMA quick_check(1)") { $0.text(0) }.first ?? "no answer"
        guard check == "ok" else { return (.damaged, check) }
        try database.begin()
        defer { database.rollback() }
        try database.execute(attempt, "PRAGMA application_id = \(Schema.applicationID)")
        return nil
    }
}

extension StoreError {
    /// Whether the file's content is to blame: damage, or tables and formats not ours (SQLITE_ERROR).
    fileprivate var isDamage: Bool { kind == .corrupt || code & 0xff == SQLITE_ERROR }
}

extension Database {
    /// The one number a query gives.
    func integer(_ attempt: String, _ sql: String, _ values: [SQLValue] = []) throws(StoreError) -> Int64 {
        try rows(attempt, sql, values) { $0.integer(0) }.first ?? 0
    }
}
