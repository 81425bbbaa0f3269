// The database's files on disk: made private, or moved out of the way whole. Nothing is ever deleted that
// could hold somebody's tasks.
import Foundation

/// A store that was found unusable and kept for inspection; a new one was begun in its place.
public struct SetAside: Sendable, Equatable {
    public enum Reason: Sendable, Equatable {
        /// Not a database, a damaged one, or one of another program.
        case damaged
        /// Written by a later version of this program.
        case newer(version: Int)
    }

    public var reason: Reason
    /// Where it is now; its journal, if any, lies beside it as `<path>-wal`.
    public var path: String
    /// What was found, for a person.
    public var message: String

    public init(reason: Reason, path: String, message: String) {
        self.reason = reason
        self.path = path
        self.message = message
    }
}

struct StoreFile {
    let path: String
    private static let suffixes = ["", "-wal", "-shm"]

    /// The file's length; nil when there is none.
    var length: Int64? { Self.length(path) }
    /// A journal without its database: a crash came while both were being moved aside.
    var hasOrphanedJournal: Bool { length == nil && (Self.length(path + "-wal") ?? 0) > 0 }

    /// Makes sure that the file is there and nobody else can read it. SQLite gives the journal the same mode.
    /// - Returns: whether it had to be made.
    func make() throws(StoreError) -> Bool {
        // Whatever the umask, and never a moment readable. An existing file is not opened here: closing it
        // would drop the locks that SQLite may hold on it in this process.
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if descriptor >= 0 {
            fchmod(descriptor, 0o600)
            close(descriptor)
            return true
        }
        guard errno == EEXIST else { throw StoreError(errno: errno, "make the database", path: path) }
        var status = stat()
        guard stat(path, &status) == 0 else { throw StoreError(errno: errno, "look at", path: path) }
        if status.st_mode & 0o077 != 0, chmod(path, 0o600) != 0 {
            throw StoreError(errno: errno, "make the database private", path: path)
        }
        return false
    }

    /// Undoes `make` when nothing could be written into the file.
    func removeMade() {
        for suffix in Self.suffixes { unlink(path + suffix) }
    }

    /// Renames the database and what belongs to it; never over another file.
    func moveAside(_ reason: SetAside.Reason, message: String, at date: Date) throws(StoreError) -> SetAside {
        let word =
            switch reason {
            case .damaged: "damaged"
            case .newer(let version): "newer-\(version)"
            }
        let name = freeName("\(path).\(word)-\(Self.stamp(date))")
        // The database first: should a crash come in between, its journal alone is harmless, but a database
        // without its journal would be taken for a whole one.
        for suffix in Self.suffixes where rename(path + suffix, name + suffix) != 0 && errno != ENOENT {
            throw StoreError(errno: errno, "set the unusable database aside", path: path + suffix)
        }
        return SetAside(reason: reason, path: name, message: message)
    }

    private func freeName(_ wanted: String) -> String {
        var name = wanted
        var number = 1
        while Self.suffixes.contains(where: { Self.length(name + $0) != nil }) {
            number += 1
            name = "\(wanted)-\(number)"
        }
        return name
    }

    private static func length(_ path: String) -> Int64? {
        var status = stat()
        return lstat(path, &status) == 0 ? Int64(status.st_size) : nil
    }

    /// `20260131T235959Z`
    private static func stamp(_ date: Date) -> String {
        var seconds = time_t(date.timeIntervalSince1970)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 32)
        strftime(&text, text.count, "%Y%m%dT%H%M%SZ", &parts)
        return text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    }
}
