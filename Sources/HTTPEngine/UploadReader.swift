// Reads the file an upload sends, and watches that it stays the file it was: a torn body is worse than an
// error. It never writes to the file, moves it or removes it. Opening and reading may wait for ever, where a
// file system hangs, and belong on a thread of their own; only `readAtOnce` is for curl's.
import CLinux
import Foundation

final class UploadReader: @unchecked Sendable {
    // Unchecked: one thread at a time has it, and hands it on through the engine's queue.
    private static let pieceSize = 256 << 10

    private let file: UploadFile
    private var descriptor: Int32
    private var pathCheckedAt: Double

    var size: Int64 { file.size }

    /// Opens the file and compares it with what it was.
    init(_ file: UploadFile) throws(EngineFailure) {
        self.file = file
        // Not blocking, so that a FIFO in the file's place cannot hold the thread.
        descriptor = open(file.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        pathCheckedAt = MonotonicClock.now
        if descriptor < 0 { throw Self.cannotRead(file.path, errno) }
        do { try check(MonotonicClock.now) } catch {
            close(descriptor)
            descriptor = -1
            throw error
        }
    }

    /// Bytes read; nil when they are not in memory, or when the file system cannot say so.
    func readAtOnce(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, now: Double
    ) throws(EngineFailure) -> Int? {
        try read(into: buffer, at: offset, now, clinux_read_at_once)
    }

    /// The bytes from there on, as many as are worth a thread's while. May wait for ever.
    func piece(at offset: Int64) throws(EngineFailure) -> [UInt8] {
        let wanted = Int(min(Int64(Self.pieceSize), file.size - offset))
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: wanted, alignment: 1)
        defer { buffer.deallocate() }
        guard
            let count = try read(
                into: buffer, at: offset, MonotonicClock.now, { pread($0, $1, $2, off_t($3)) })
        else {
            throw Self.cannotRead(file.path, EAGAIN)
        }
        return Array(buffer.prefix(count))
    }

    /// The file is looked at after the bytes were read: whatever changed them shows then, also for the last
    /// ones.
    private func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, _ now: Double,
        _ call: (Int32, UnsafeMutableRawPointer?, Int, Int64) -> Int
    ) throws(EngineFailure) -> Int? {
        let wanted = Int(min(Int64(buffer.count), file.size - offset))
        var count: Int
        repeat {
            count = call(descriptor, buffer.baseAddress, wanted, offset)
        } while count < 0
            && errno == EINTR
        if count < 0 {
            if [EAGAIN, EOPNOTSUPP, ENOSYS].contains(errno) { return nil }
            throw Self.cannotRead(file.path, errno)
        }
        try check(now)
        guard count > 0 else { throw changed }
        return count
    }

    private func check(_ now: Double) throws(EngineFailure) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.cannotRead(file.path, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw EngineFailure(.sourceUnreadable, message: "not a regular file", path: file.path)
        }
        // Through an open descriptor an unlinked file is still there; its count of links tells at once,
        // and the path, looked at now and then, tells when it was moved away.
        if status.st_nlink == 0 || now - pathCheckedAt >= 1 {
            pathCheckedAt = now
            var named = stat()
            guard stat(file.path, &named) == 0 else { throw Self.cannotRead(file.path, errno) }
            guard isSame(named) else { throw changed }
        }
        guard isSame(status) else { throw changed }
    }

    private func isSame(_ status: stat) -> Bool {
        UInt64(status.st_dev) == file.device && UInt64(status.st_ino) == file.inode
            && Int64(status.st_size) == file.size
            && Int64(status.st_mtim.tv_sec) == file.modifiedSeconds
            && Int64(status.st_mtim.tv_nsec) == file.modifiedNanoseconds
    }

    private var changed: EngineFailure {
        EngineFailure(.sourceChanged, message: "the file to send has changed", path: file.path)
    }

    private static func cannotRead(_ path: String, _ code: Int32) -> EngineFailure {
        if code == ENOENT || code == ENOTDIR {
            return EngineFailure(
                .sourceMissing, osError: code, message: "the file to send is missing", path: path)
        }
        return EngineFailure(.sourceUnreadable, osError: code, message: SystemWords.for(code), path: path)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
