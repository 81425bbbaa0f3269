// Where everything lives: one folder for each user, moved as a whole by URLSESSIOND_HOME.
import Foundation

/// The folder that holds lock, socket, database, bodies and logs. Paths only; `prepare` makes it.
public struct ServiceHome: Sendable, Equatable {
    public let folder: String

    public init(folder: String) { self.folder = folder }

    /// `URLSESSIOND_HOME`, else `$XDG_STATE_HOME/urlsessiond`, else `~/.local/state/urlsessiond`. Without
    /// HOME the password database says where home is. Relative XDG paths are ignored, as that
    /// specification asks.
    public init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        if let chosen = environment["URLSESSIOND_HOME"], !chosen.isEmpty {
            folder = Self.absolute(chosen)
        } else if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
            folder = state + "/urlsessiond"
        } else {
            folder = Self.userHome(environment) + "/.local/state/urlsessiond"
        }
    }

    public var socket: String { folder + "/socket" }
    /// Held by whoever starts or leaves as the service.
    public var startLock: String { folder + "/start.lock" }
    /// Held by the service as long as it lives; decides who is the service.
    public var instanceLock: String { folder + "/service.lock" }
    public var database: String { folder + "/transfers.sqlite" }
    public var bodies: String { folder + "/bodies" }
    /// Bodies given as data, on their way from a client to the service.
    public var incoming: String { folder + "/incoming" }
    /// Links made for owners, one folder a client.
    public var deliveries: String { folder + "/Downloads" }
    /// `Downloads`' records, one folder a client.
    public var wishes: String { folder + "/wishes" }
    public var logs: String { folder + "/log" }
    public var log: String { logs + "/urlsessiond.log" }
    /// What woken programs and finish commands print.
    public var launchLog: String { logs + "/launches.log" }

    /// The folder of one client inside another. What cannot stand in a file name is percent-encoded, so that
    /// two clients never share a folder.
    public static func clientFolder(_ client: String, in folder: String) -> String {
        if client.isEmpty { return folder + "/%" }
        var safe = ""
        for (index, character) in client.unicodeScalars.enumerated() {
            let isForbidden = "/%\0".unicodeScalars.contains(character) || (index == 0 && character == ".")
            safe += isForbidden ? String(format: "%%%02X", character.value) : String(character)
        }
        return folder + "/" + safe
    }

    /// Makes the folders, 0700, and refuses a folder that somebody else owns or could write to.
    public func prepare() throws(SystemCallError) {
        try Self.makeFolder(folder, parents: true)
        // A link to a folder elsewhere is fine, if both are this user's.
        var status = stat()
        for followsLink in [false, true] {
            guard fstatat(AT_FDCWD, folder, &status, followsLink ? 0 : AT_SYMLINK_NOFOLLOW) == 0 else {
                throw SystemCallError("look at", folder)
            }
            guard status.st_uid == geteuid() else {
                throw SystemCallError("use (it belongs to another user)", folder, code: EPERM)
            }
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw SystemCallError("use", folder, code: ENOTDIR)
        }
        if status.st_mode & 0o077 != 0, chmod(folder, 0o700) != 0 {
            throw SystemCallError("make private", folder)
        }
        for inner in [bodies, incoming, deliveries, wishes, logs] {
            try Self.makeFolder(inner, parents: false)
        }
    }

    private static func makeFolder(_ path: String, parents: Bool) throws(SystemCallError) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        guard parents, errno == ENOENT else { throw SystemCallError("make the folder", path) }
        try makeFolder(URL(fileURLWithPath: path).deletingLastPathComponent().path, parents: true)
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw SystemCallError("make the folder", path)
        }
    }

    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }

    private static func userHome(_ environment: [String: String]) -> String {
        if let home = environment["HOME"], home.hasPrefix("/") { return home }
        guard let entry = getpwuid(getuid()), let folder = entry.pointee.pw_dir else { return "/" }
        return String(cString: folder)
    }
}
