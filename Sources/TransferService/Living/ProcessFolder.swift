// A folder in the temporary directory that belongs to one process and goes with it. A lock on the folder says
// that its process lives: what a process that was killed has left, the next one removes.
import Foundation
import TransferProtocol

struct ProcessFolder {
    let path: String

    private static let prefix = "urlsession-"

    /// Sweeps, then makes a folder, 0700, that is this process's as long as it lives.
    static func make(in parent: String = NSTemporaryDirectory()) throws(SystemCallError) -> ProcessFolder {
        sweep(parent)
        for _ in 0..<100 {
            let path = URL(fileURLWithPath: parent).path + "/" + prefix + UUID().uuidString
            guard mkdir(path, 0o700) == 0 else { throw SystemCallError("make the folder", path) }
            // Another process's sweep may have come between; then the folder is gone or about to go.
            if let descriptor = lock(path), isStill(path, descriptor) { return ProcessFolder(path: path) }
        }
        throw SystemCallError("keep a folder in", parent, code: EAGAIN)
    }

    static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

    /// Removes the folders of this user's processes that have ended.
    private static func sweep(_ parent: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        for name in names
        where name.hasPrefix(prefix) && UUID(uuidString: String(name.dropFirst(prefix.count))) != nil {
            let path = URL(fileURLWithPath: parent).path + "/" + name
            guard let descriptor = lock(path) else { continue }
            if isStill(path, descriptor) { remove(path) }
            close(descriptor)
        }
    }

    /// Takes the folder's lock, which lasts as long as the descriptor; nil when it has an owner, or is somebody
    /// else's.
    private static func lock(_ path: String) -> Int32? {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_uid == geteuid(),
            flock(descriptor, LOCK_EX | LOCK_NB) == 0
        else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    private static func isStill(_ path: String, _ descriptor: Int32) -> Bool {
        var named = stat()
        var opened = stat()
        return lstat(path, &named) == 0 && fstat(descriptor, &opened) == 0 && named.st_ino == opened.st_ino
            && named.st_dev == opened.st_dev
    }
}
