// The file an upload sends, and what it was when the task was made.
import Foundation

/// A file with the identity it had when the client made the task. A file that no longer has that identity
/// is never sent: a torn body is worse than an error.
public struct UploadSource: Codable, Sendable, Equatable {
    /// Absolute.
    public var path: String
    public var device: UInt64
    public var inode: UInt64
    /// In bytes.
    public var size: Int64
    public var modifiedSeconds: Int64
    public var modifiedNanoseconds: Int64

    public init(path: String, status: stat) {
        self.path = path
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        modifiedSeconds = Int64(status.st_mtim.tv_sec)
        modifiedNanoseconds = Int64(status.st_mtim.tv_nsec)
    }

    /// The source at `path` as it is now; nil with errno set when it cannot be looked at.
    public init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(path: path, status: status)
    }
}
