// Partial files that resume data speaks of, and how they pass from one service to another: from the user's to one
// inside a process, or the other way. While it is kept, a file may not be written to (0400); that tells it from
// the body of a task that runs, also in a folder of another service.
import Foundation
import TransferProtocol
import TransferStore

struct PartialFiles {
    let bodies: String
    /// Where they go when they are to outlive this service.
    let leaving: String?

    private static let leftPrefix = "CFNetworkDownload_"
    private static let leftSuffix = ".tmp"

    /// Where that task's body is found once it is kept.
    func path(_ task: TaskRecord, isLeaving: Bool) -> String {
        guard isLeaving, let leaving else { return bodies + "/" + task.body }
        return leaving + "/" + Self.leftPrefix + task.token + Self.leftSuffix
    }

    /// Closes the file to writing. False when it stays among the bodies, for the store to remember.
    func keep(_ task: TaskRecord, isLeaving: Bool) -> Bool {
        let body = bodies + "/" + task.body
        chmod(body, 0o400)
        let path = path(task, isLeaving: isLeaving)
        return path != body && rename(body, path) == 0
    }

    /// It is written to again.
    func open(_ task: TaskRecord) { chmod(bodies + "/" + task.body, 0o600) }

    /// Makes a file that another service kept the body of that task. False when there is none, or none that a
    /// service can have kept: the path comes from a client.
    func adopt(_ path: String, as task: TaskRecord) -> Bool {
        guard Self.canBeKept(path), Self.isClosed(path) else { return false }
        let body = bodies + "/" + task.body
        if rename(path, body) != 0 {
            guard errno == EXDEV, Self.copy(path, body) else { return false }
            unlink(path)
        }
        // The service that kept it may have begun to write to it at this very moment.
        guard Self.isClosed(body) else {
            unlink(body)
            return false
        }
        chmod(body, 0o600)
        return true
    }

    /// Whether a service gives a kept file such a name.
    private static func canBeKept(_ path: String) -> Bool {
        let url = URL(fileURLWithPath: path)
        let name = url.lastPathComponent
        guard path.hasPrefix("/"), !path.split(separator: "/").contains("..") else { return false }
        if UUID(uuidString: name) != nil {
            return url.deletingLastPathComponent().lastPathComponent == "bodies"
        }
        guard name.hasPrefix(leftPrefix), name.hasSuffix(leftSuffix) else { return false }
        return UUID(uuidString: String(name.dropFirst(leftPrefix.count).dropLast(leftSuffix.count))) != nil
    }

    private static func isClosed(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode == S_IFREG | 0o400 && status.st_uid == geteuid()
            && status.st_nlink == 1
    }

    private static func copy(_ source: String, _ target: String) -> Bool {
        (try? FileManager.default.copyItem(atPath: source, toPath: target)) != nil
    }
}
