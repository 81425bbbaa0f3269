// Gives a file a new name on the same file system and never replaces what has
// that name. Three ways, since no one of them works on every file system; each
// leaves the decision to the kernel, so that no other process can slip between.

import CLinux
import Glibc

enum ExclusiveRename {
    static func rename(_ from: String, to: String) throws(SystemFailure) {
        var failure = byRename(from, to)
        if let code = failure, [EINVAL, ENOSYS].contains(code) { failure = byLink(from, to) }
        if let code = failure, [EPERM, ENOTSUP, ENOSYS, EMLINK].contains(code) {
            failure = byPlaceholder(from, to)
        }
        if let code = failure { throw SystemFailure("rename \(from) to \(to)", code: code) }
    }

    /// One step; network and some FUSE file systems answer EINVAL.
    static func byRename(_ from: String, _ to: String) -> Int32? {
        clinux_rename_noreplace(from, to) == 0 ? nil : errno
    }

    /// Two steps: a crash between them leaves one file with both names.
    static func byLink(_ from: String, _ to: String) -> Int32? {
        guard link(from, to) == 0 else { return errno }
        unlink(from)
        return nil
    }

    /// Without hard links: an empty file takes the name, which only one process
    /// can do, and is then replaced. A crash between leaves that empty file.
    static func byPlaceholder(_ from: String, _ to: String) -> Int32? {
        let placeholder = open(to, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard placeholder >= 0 else { return errno }
        close(placeholder)
        guard Glibc.rename(from, to) == 0 else {
            let code = errno
            unlink(to)
            return code
        }
        return nil
    }
}
