// Standard output or standard error, written at once. Foundation's FileHandle ends the process when a write
// fails, and a full disk under a log must not end a program that puts files in place. Any thread.
import Foundation

struct Stream {
    let descriptor: Int32

    static let results = Stream(descriptor: STDOUT_FILENO)
    static let people = Stream(descriptor: STDERR_FILENO)

    /// False when not all of it could be written; then `errno` says why.
    @discardableResult
    func write(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)[...]
            while !rest.isEmpty {
                let count = Glibc.write(
                    descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0, errno == EINTR || (errno == EAGAIN && waitsUntilWritable()) { continue }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    /// A pipe or terminal that somebody has made non-blocking is full.
    private func waitsUntilWritable() -> Bool {
        var one = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&one, 1, -1) >= 0 || errno == EINTR
    }
}
