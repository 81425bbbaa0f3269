// Notices that the home is not this service's any more: somebody has removed it, moved it, or taken its
// lock file away. The next client then makes a new home with a service of its own, and two must not be.
// inotify on the one folder: it sleeps until something there is removed.
import Foundation

/// Lives as long as its service, which is as long as the process.
@TransferActor
final class HomeWatch {
    private let lockFile: String
    private let device: dev_t
    private let inode: ino_t
    private let source: any DispatchSourceRead

    /// Nil where the kernel grants no watch; then a removed home is not noticed.
    init?(folder: String, lockFile: String, whenGone: @escaping @TransferActor () -> Void) {
        var status = stat()
        guard stat(lockFile, &status) == 0 else { return nil }
        let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        let removals = IN_DELETE | IN_MOVED_FROM | IN_DELETE_SELF | IN_MOVE_SELF
        guard inotify_add_watch(descriptor, folder, UInt32(removals)) >= 0 else {
            close(descriptor)
            return nil
        }
        self.lockFile = lockFile
        device = status.st_dev
        inode = status.st_ino
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: TransferActor.queue)
        source.setCancelHandler { close(descriptor) }
        source.setEventHandler { [weak self] in
            TransferActor.assumeIsolated {
                var events = [UInt8](repeating: 0, count: 4096)
                while read(descriptor, &events, events.count) > 0 {}
                if let self, !self.isThere { whenGone() }
            }
        }
        source.resume()
    }

    private var isThere: Bool {
        var status = stat()
        return stat(lockFile, &status) == 0 && status.st_dev == device && status.st_ino == inode
    }
}
