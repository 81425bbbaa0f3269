// A connection to SQLite and the statements prepared on it. It knows no table. One owner: whoever made it
// uses it from one queue only; SQLite's own mutex is off.
import CSQLite
import Foundation

final class Database {
    let path: String
    /// Traps, in debug builds, when the caller is not where the connection may be used.
    var ownerCheck: (() -> Void)?
    /// Whether `begin` was called and neither `commit` nor `rollback` since.
    private(set) var isInTransaction = false

    private let handle: OpaquePointer
    private var statements: [String: Statement] = [:]
    /// SQLite gives up a whole transaction on some errors (disk full, failed write). What follows must not
    /// slip in outside of it: every call fails with the same error until `rollback`.
    private var lost: StoreError?

    /// Opens the database at `path`, which may be `:memory:`; makes no file.
    init(path: String) throws(StoreError) {
        self.path = path
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW
        let code = sqlite3_open_v2(path, &handle, flags, nil)
        guard code == SQLITE_OK, let handle else {
            let message = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
            sqlite3_close(handle)
            throw StoreError(sqlite: code, "open the database", message: message, path: path)
        }
        self.handle = handle
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, 1000)
    }

    deinit {
        statements = [:]
        sqlite3_close(handle)
    }

    /// Closing leaves the files exactly as they are; for a database that is only looked at.
    func leaveFilesOnClose() { _ = csqlite_leave_journal_on_close(handle) }

    var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// Every statement in use so far; the tests ask for their plans.
    var statementTexts: [String] { statements.keys.sorted() }

    /// Runs a statement that returns no rows; gives the number of rows it changed.
    @discardableResult
    func run(_ attempt: String, _ sql: String, _ values: [SQLValue] = []) throws(StoreError) -> Int {
        _ = try rows(attempt, sql, values) { _ in }
        return Int(sqlite3_changes(handle))
    }

    /// The rows of a query, each as `read` makes it, up to the first with which it is enough. Neither closure
    /// may use the database.
    func rows<Value>(
        _ attempt: String, _ sql: String, _ values: [SQLValue] = [],
        until isEnough: (Value) -> Bool = { _ in false },
        read: (Row) -> Value
    ) throws(StoreError) -> [Value] {
        if let lost { throw lost }
        let statement = try prepared(attempt, sql)
        defer { statement.reset() }
        var found: [Value] = []
        var code = statement.bind(values)
        guard code == SQLITE_OK else { throw failure(code, attempt) }
        while true {
            code = statement.step()
            if code == SQLITE_DONE { return found }
            guard code == SQLITE_ROW else { throw failure(code, attempt) }
            let value = read(statement.row)
            found.append(value)
            if isEnough(value) { return found }
        }
    }

    /// Runs statements that are not worth keeping: pragmas, migrations.
    func execute(_ attempt: String, _ sql: String) throws(StoreError) {
        checkOwner()
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        if code != SQLITE_OK { throw failure(code, attempt) }
    }

    private func prepared(_ attempt: String, _ sql: String) throws(StoreError) -> Statement {
        checkOwner()
        if let statement = statements[sql] { return statement }
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v3(self.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK, let handle else { throw failure(code, attempt) }
        let statement = Statement(owning: handle)
        statements[sql] = statement
        return statement
    }

    private func failure(_ code: Int32, _ attempt: String) -> StoreError {
        let message = String(cString: sqlite3_errmsg(handle))
        let error = StoreError(sqlite: code, attempt, message: message, path: path)
        if isInTransaction, sqlite3_get_autocommit(handle) != 0 { lost = error }
        return error
    }

    private func checkOwner() {
        assert(
            {
                ownerCheck?()
                return true
            }())
    }
}

// MARK: - Transactions
extension Database {
    /// Opens a transaction unless one is open.
    func begin() throws(StoreError) {
        if isInTransaction { return }
        try run("begin a transaction", "BEGIN IMMEDIATE")
        isInTransaction = true
    }

    /// Commits. A commit that fails has rolled everything back.
    func commit() throws(StoreError) {
        guard isInTransaction else { return }
        do {
            try run("commit", "COMMIT")
            isInTransaction = false
        } catch {
            rollback()
            throw error
        }
    }

    /// Forgets everything since `begin`.
    func rollback() {
        checkOwner()
        isInTransaction = false
        lost = nil
        // It may have rolled back by itself already; then this fails, and that is well.
        if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
    }

    /// All of `body` or nothing, inside a transaction or outside.
    func atomically<Value>(
        _ attempt: String, _ body: () throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        try run(attempt, "SAVEPOINT step")
        do {
            let value = try body()
            try run(attempt, "RELEASE step")
            return value
        } catch {
            sqlite3_exec(handle, "ROLLBACK TO step; RELEASE step", nil, nil, nil)
            throw error
        }
    }
}
