// Reads the file an upload sends, and watches that it stays the file it was: a torn body is worse than an
// error. It never writes to the file, moves it or removes it. Lives on curl's thread.
import Foundation

final class UploadReader {
    private let file: UploadFile
    private var descriptor: Int32
    private(set) var offset: Int64 = 0
    private var pathCheckedAt: Double

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

    var isAtEnd: Bool { offset >= file.size }

    /// Bytes read, 0 at the end. The file is looked at after the bytes were read: whatever changed them
    /// shows then, also for the last ones.
    func read(into buffer: UnsafeMutableRawBufferPointer, now: Double) throws(EngineFailure) -> Int {
        let wanted = Int(min(Int64(buffer.count), file.size - offset))
        if wanted <= 0 { return 0 }
        var count: Int
        repeat {
            count = pread(descriptor, buffer.baseAddress, wanted, off_t(offset))
        } while count < 0
            && errno == EINTR
        if count < 0 { throw Self.cannotRead(file.path, errno) }
        try check(now)
        guard count > 0 else { throw changed }
        offset += Int64(count)
        return count
    }

    func seek(to position: Int64) -> Bool {
        guard (0...file.size).contains(position) else { return false }
        offset = position
        return true
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
