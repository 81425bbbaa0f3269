// An exclusive flock on a file, held as long as the object lives or until `release`. The kernel drops it
// with the process, so a stale lock cannot exist.
import Foundation

public final class FileLock: @unchecked Sendable {
    // Unchecked: the descriptor changes only in `release`, which its one owner calls.
    private var descriptor: Int32

    /// Takes the lock, waiting for it if asked; nil when somebody else holds it and `wait` is false.
    public init?(path: String, wait: Bool) throws(SystemCallError) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SystemCallError("open the lock", path) }
        while flock(descriptor, LOCK_EX | (wait ? 0 : LOCK_NB)) != 0 {
            if errno == EINTR { continue }
            let error = SystemCallError("lock", path)
            close(descriptor)
            descriptor = -1
            if error.code == EWOULDBLOCK { return nil }
            throw error
        }
    }

    public func release() {
        // Unlocked and not only closed: a child that was forked and has not executed yet holds a copy.
        if descriptor >= 0 {
            flock(descriptor, LOCK_UN)
            close(descriptor)
        }
        descriptor = -1
    }

    deinit { release() }
}
