// The name that clients find the service by. It goes with the service, but only if it is still this service's:
// another one may have put its own there.
import Foundation

struct SocketFile {
    let path: String
    private let device: dev_t
    private let inode: ino_t

    /// Nil when there is no socket at `path`.
    init?(path: String) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
        self.path = path
        device = status.st_dev
        inode = status.st_ino
    }

    /// With the start lock held: nobody else binds or removes it then.
    func remove() {
        guard let now = SocketFile(path: path), now.device == device, now.inode == inode else { return }
        unlink(path)
    }
}
