// Which file it is, whatever its names: device and inode. True while the file
// exists; after its last name is gone the numbers may be given to another one.

import Glibc

public struct FileIdentity: Codable, Sendable, Hashable {
    public let device: UInt64
    public let inode: UInt64

    public init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }

    /// Nil if there is nothing at `path`. A symbolic link stands for what it points to.
    public init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// fstat(2) does not fail on a descriptor that is open.
    init(ofDescriptor descriptor: Int32) {
        var status = stat()
        fstat(descriptor, &status)
        self.init(status)
    }

    private init(_ status: stat) {
        self.init(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }
}
