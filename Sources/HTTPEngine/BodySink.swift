// The file a body goes to. Opened when the judge has spoken, written in large pieces, closed when the
// transfer ends. It never removes or renames anything. Lives on curl's thread.
import Foundation

final class BodySink {
    let path: String
    /// Of the file on disk: what is still gathered does not count.
    private(set) var length: Int64 = 0
    private(set) var descriptor: Int32 = -1

    private let pool: BufferPool
    private var buffer: UnsafeMutableRawPointer?
    private var filled = 0

    init(path: String, pool: BufferPool) {
        self.path = path
        self.pool = pool
    }

    /// Where the next byte goes: what is gathered counts.
    var end: Int64 { length + Int64(filled) }
    var isOpen: Bool { descriptor >= 0 }
    var isGathering: Bool { filled > 0 }

    func open(emptied: Bool) throws(EngineFailure) {
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (emptied ? O_TRUNC : 0)
        repeat { descriptor = Foundation.open(path, flags, 0o600) } while descriptor < 0 && errno == EINTR
        guard isOpen else { throw .bodyFile(.bodyFileCannotOpen, path, errno: errno) }
        let end = lseek(descriptor, 0, SEEK_END)
        guard end >= 0 else { throw .bodyFile(.bodyFileCannotOpen, path, errno: errno) }
        length = Int64(end)
    }

    func take(_ bytes: UnsafeRawBufferPointer) throws(EngineFailure) {
        if filled + bytes.count > BufferPool.size { try flush() }
        if buffer == nil { buffer = pool.take() }
        guard let buffer, let start = bytes.baseAddress, bytes.count <= BufferPool.size else {
            return try write(bytes)
        }
        (buffer + filled).copyMemory(from: start, byteCount: bytes.count)
        filled += bytes.count
        if filled == BufferPool.size { try flush() }
    }

    /// Writes what is gathered and lets go of the buffer.
    func flush() throws(EngineFailure) {
        guard let buffer else { return }
        let gathered = filled
        self.buffer = nil
        filled = 0
        pool.giveBack(buffer)
        try write(UnsafeRawBufferPointer(start: buffer, count: gathered))
    }

    func close() {
        if isOpen { Foundation.close(descriptor) }
        descriptor = -1
    }

    /// The length on disk, also of a sink that this transfer never opened.
    var lengthOnDisk: Int64 { isOpen ? length : Self.length(at: path) }

    static func length(at path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// What could be written before an error counts: a later attempt goes on from there.
    private func write(_ bytes: UnsafeRawBufferPointer) throws(EngineFailure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest)
            let count = pwrite(descriptor, piece.baseAddress, piece.count, off_t(length))
            if count < 0 {
                if errno == EINTR { continue }
                throw .bodyFile(.bodyFileCannotWrite, path, errno: errno)
            }
            length += Int64(count)
            rest = rest.dropFirst(count)
        }
    }

    deinit { close() }
}
