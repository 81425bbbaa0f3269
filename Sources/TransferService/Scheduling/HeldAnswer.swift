// An answer that asks, kept until the owner of a task with a pipe has spoken: its reader sees nothing of it
// before, and the server is not asked twice when the owner wants it as it is. In memory, and small.
import Foundation
import HTTPEngine
import TransferProtocol

struct HeldAnswer {
    var response: ResponseRecord
    var body: [UInt8]

    /// As much as an empty pipe takes without anybody reading.
    static let largest = 64 << 10

    init?(_ outcome: EngineOutcome) {
        guard let head = outcome.head, let body = outcome.keptBody else { return nil }
        response = ResponseRecord(head)
        self.body = body
    }

    /// The task's pipe, with room for all of it; nil when there is none, or nobody reads.
    func opening(_ pipe: String?) -> OpenPipe? {
        guard let pipe, let open = OpenPipe(pipe), open.capacity >= body.count else { return nil }
        return open
    }
}

/// The writing end of a task's pipe. It never blocks; its reader sees the end when it is closed.
final class OpenPipe {
    private let descriptor: Int32

    init?(_ path: String) {
        descriptor = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// Linux's F_GETPIPE_SZ, which Swift's Glibc does not have.
    var capacity: Int { Int(fcntl(descriptor, 1032)) }

    /// A reader that leaves has no use for the rest.
    func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
