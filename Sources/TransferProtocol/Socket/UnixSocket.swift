// Unix-domain stream sockets by path. Nothing about messages. All descriptors are close-on-exec.
import CLinux
import Foundation

/// A failed socket or file call: what was attempted, on what, and errno.
public struct SystemCallError: Error, Equatable, CustomStringConvertible {
    public var attempt: String
    public var path: String
    public var code: Int32

    public init(_ attempt: String, _ path: String, code: Int32 = errno) {
        self.attempt = attempt
        self.path = path
        self.code = code
    }

    public var description: String { "\(attempt) \(path): \(String(cString: strerror(code)))" }
}

public enum UnixSocket {
    /// Connects to the socket at `path`; ECONNREFUSED and ENOENT mean that nobody listens.
    public static func connect(to path: String) throws(SystemCallError) -> Int32 {
        try withSocket("connect to", path, Glibc.connect)
    }

    /// Binds a listening socket at `path`, which must not exist.
    public static func listen(at path: String, backlog: Int32 = 512) throws(SystemCallError) -> Int32 {
        let descriptor = try withSocket("bind", path, Glibc.bind)
        guard Glibc.listen(descriptor, backlog) == 0 else {
            throw failed(descriptor, SystemCallError("listen at", path))
        }
        return descriptor
    }

    /// Removes a socket that nobody listens at any more, if there is one. What is not a socket stays where it is:
    /// ENOTSOCK.
    public static func removeStale(at path: String) throws(SystemCallError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw SystemCallError(
                "listen, since something that is not a socket stands at", path, code: ENOTSOCK)
        }
        guard unlink(path) == 0 || errno == ENOENT else {
            throw SystemCallError("remove the stale socket", path)
        }
    }

    /// Whether that is a socket that listens.
    public static func isListening(_ descriptor: Int32) -> Bool {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &value, &length) == 0 && value != 0
    }

    /// The user and the process at the other end.
    public static func peer(of descriptor: Int32) -> (uid: uid_t, pid: pid_t)? {
        var uid = uid_t()
        var pid = pid_t()
        guard clinux_peer_credentials(descriptor, &uid, &pid) == 0 else { return nil }
        return (uid, pid)
    }

    /// A path longer than a socket address (107 bytes) is reached through its folder's descriptor.
    private static func withSocket(
        _ attempt: String, _ path: String,
        _ call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws(SystemCallError) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { throw SystemCallError("make a socket for", path) }
        var reachable = path
        var folder: Int32 = -1
        if path.utf8.count >= MemoryLayout.size(ofValue: sockaddr_un().sun_path) {
            let url = URL(fileURLWithPath: path)
            folder = open(url.deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard folder >= 0 else { throw failed(descriptor, SystemCallError(attempt, path)) }
            reachable = "/proc/self/fd/\(folder)/\(url.lastPathComponent)"
        }
        defer { if folder >= 0 { close(folder) } }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard reachable.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw failed(descriptor, SystemCallError(attempt, path, code: ENAMETOOLONG))
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: reachable.utf8) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                // A signal may come while the listener's backlog is full.
                var result: Int32
                repeat {
                    result = call(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                } while result != 0 && errno == EINTR
                return result
            }
        }
        guard result == 0 else { throw failed(descriptor, SystemCallError(attempt, path)) }
        return descriptor
    }

    /// Closes a socket that came to nothing; takes the error first, since closing may change errno.
    private static func failed(_ descriptor: Int32, _ error: SystemCallError) -> SystemCallError {
        close(descriptor)
        return error
    }
}
