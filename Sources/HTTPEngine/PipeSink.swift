// The named pipe a body goes into when somebody reads it as it comes. It never blocks: what the pipe has no
// room for stays with libcurl, which stops reading from the network. Lives on curl's thread.
import Foundation

final class PipeSink {
    private let path: String
    private(set) var descriptor: Int32 = -1
    /// Body bytes that are in the pipe or through it.
    private(set) var length: Int64 = 0
    /// What the pipe took of a piece that libcurl will offer again, from its beginning.
    private var taken = 0

    init(path: String) { self.path = path }

    /// Fails when nobody reads.
    func open() throws(EngineFailure) {
        guard descriptor < 0 else { return }
        descriptor = Foundation.open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENXIO || errno == ENOENT { throw Self.readerGone }
            throw .bodyFile(.bodyFileCannotOpen, path, errno: errno)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else {
            throw .bodyFile(.bodyFileCannotOpen, path, errno: EINVAL)
        }
    }

    /// False when the reader must read first; then libcurl offers these bytes again, and perhaps more.
    func take(_ bytes: UnsafeRawBufferPointer) throws(EngineFailure) -> Bool {
        while taken < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[taken...])
            let count = write(descriptor, rest.baseAddress, rest.count)
            if count >= 0 {
                taken += count
                length += Int64(count)
            } else if errno == EAGAIN {
                return false
            } else if errno == EPIPE {
                throw Self.readerGone
            } else if errno != EINTR {
                throw .bodyFile(.bodyFileCannotWrite, path, errno: errno)
            }
        }
        taken = 0
        return true
    }

    func close() {
        if descriptor >= 0 { Foundation.close(descriptor) }
        descriptor = -1
    }

    /// Which of these can go on: there is room, or the reader has left.
    static func ready(_ descriptors: [Int32]) -> Set<Int32> {
        var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLOUT), revents: 0) }
        guard poll(&entries, nfds_t(entries.count), 0) > 0 else { return [] }
        return Set(entries.lazy.filter { $0.revents != 0 }.map(\.fd))
    }

    private static let readerGone = EngineFailure(
        .readerGone, message: "nobody reads the answer any more")

    deinit { close() }
}
