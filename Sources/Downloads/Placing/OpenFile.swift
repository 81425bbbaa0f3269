// An open file and its descriptor, closed when it goes out of scope. Whole
// reads and writes; interrupted calls are repeated. It belongs to one thread.

import Glibc

final class OpenFile {
    let descriptor: Int32
    let identity: FileIdentity
    private let path: String

    convenience init(_ path: String, _ flags: Int32, mode: mode_t = 0) throws(SystemFailure) {
        let descriptor = Glibc.open(path, flags | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw SystemFailure("open \(path)") }
        self.init(adopting: descriptor, path: path)
    }

    /// Takes over a descriptor that is already open.
    init(adopting descriptor: Int32, path: String) {
        self.descriptor = descriptor
        identity = FileIdentity(ofDescriptor: descriptor)
        self.path = path
    }

    deinit {
        close(descriptor)
    }

    /// The number of bytes read; 0 at the end of the file.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemFailure) -> Int {
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            guard errno == EINTR else { throw SystemFailure("read \(path)") }
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(SystemFailure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest)
            let count = Glibc.write(descriptor, part.baseAddress, part.count)
            guard count >= 0 || errno == EINTR else { throw SystemFailure("write \(path)") }
            rest = rest.dropFirst(max(0, count))
        }
    }

    func write(_ bytes: [UInt8]) throws(SystemFailure) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer { buffer.deallocate() }
        buffer.copyBytes(from: bytes)
        try write(UnsafeRawBufferPointer(buffer))
    }

    func sync() throws(SystemFailure) {
        guard fsync(descriptor) == 0 else { throw SystemFailure("sync \(path)") }
    }

    func setMode(_ mode: mode_t) throws(SystemFailure) {
        guard fchmod(descriptor, mode) == 0 else { throw SystemFailure("set the mode of \(path)") }
    }

    /// Reads to the end, handing on `size` bytes at a time: constant memory.
    func forEachChunk(
        of size: Int = 1 << 20, _ body: (UnsafeRawBufferPointer) throws(SystemFailure) -> Void
    ) throws(SystemFailure) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = try read(into: buffer)
            guard count > 0 else { return }
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }
}
