// Why the store could not do what it was asked. A failed call changed nothing, and the store goes on: after
// `full` it works again once there is room.
import CSQLite
import Foundation

/// A call of the store that failed.
public struct StoreError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Stable; what programs compare.
    public enum Kind: String, Sendable, CaseIterable {
        /// No room on the disk, or the quota is used up.
        case full
        case readOnly
        /// The file system failed.
        case io
        /// The file is damaged. The next `open` sets it aside and begins a new one.
        case corrupt
        /// Another program holds the database.
        case busy
        /// The row exists already, or refers to one that does not.
        case conflict
        /// No such row.
        case missing
        case other
    }

    public var kind: Kind
    /// What was being done: `insert task 3 of session 1`.
    public var attempt: String
    /// SQLite's extended result code; 0 when SQLite was not the one to refuse.
    public var code: Int32
    public var message: String
    public var path: String

    public init(_ kind: Kind, _ attempt: String, code: Int32 = 0, message: String, path: String) {
        self.kind = kind
        self.attempt = attempt
        self.code = code
        self.message = message
        self.path = path
    }

    /// SQLite's refusal, classified by its primary code.
    init(sqlite code: Int32, _ attempt: String, message: String, path: String) {
        self.init(Self.kind(of: code & 0xff), attempt, code: code, message: message, path: path)
    }

    /// A failed file call.
    init(errno code: Int32, _ attempt: String, path: String) {
        let kind: Kind =
            switch code {
            case ENOSPC, EDQUOT: .full
            case EROFS, EACCES, EPERM: .readOnly
            default: .io
            }
        self.init(kind, attempt, message: String(cString: strerror(code)), path: path)
    }

    private static func kind(of primary: Int32) -> Kind {
        switch primary {
        case SQLITE_FULL: .full
        case SQLITE_READONLY, SQLITE_PERM: .readOnly
        case SQLITE_IOERR, SQLITE_CANTOPEN: .io
        case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt
        case SQLITE_BUSY, SQLITE_LOCKED: .busy
        case SQLITE_CONSTRAINT: .conflict
        default: .other
        }
    }

    public var description: String {
        let number = code == 0 ? "" : " (SQLite \(code))"
        return "cannot \(attempt): \(message)\(number) [\(path)]"
    }
}
