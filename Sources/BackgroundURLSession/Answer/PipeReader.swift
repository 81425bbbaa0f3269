// The reading end of the named pipe that the service writes an answer into. It holds nothing: what is not
// asked for stays in the pipe, and a full pipe stops the transfer.
import Foundation
import TransferProtocol

final class PipeReader: BodySource, @unchecked Sendable {
    // Unchecked: `descriptor`, `source` and `taking` belong to `queue`.
    let path: String
    private var descriptor: Int32
    private var source: (any DispatchSourceRead)?
    /// Wants what is being waited for.
    private var taking: (@Sendable (Data?) -> Void)?

    private static let queue = DispatchQueue(label: "URLSession answers' bodies")
    private static let pieceSize = 64 << 10

    private init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit {
        // Closed under a source that waits, its number would be another's while dispatch still watches it.
        if let source { source.cancel() } else if descriptor >= 0 { Glibc.close(descriptor) }
    }

    static func make(in home: ServiceHome) -> Result<PipeReader, ErrorRecord> {
        let path = home.incoming + "/" + UUID().uuidString + ".pipe"
        guard mkfifo(path, 0o600) == 0 else { return .failure(failure(path)) }
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            let failure = failure(path)
            unlink(path)
            return .failure(failure)
        }
        return .success(PipeReader(path: path, descriptor: descriptor))
    }

    private static func failure(_ path: String) -> ErrorRecord {
        ErrorRecord(
            ErrorCode.cannotCreateFile,
            "The pipe for the answer, \(path), could not be made: \(String(cString: strerror(errno))).",
            path: path)
    }

    func next(_ take: @escaping @Sendable (Data?) -> Void) {
        Self.queue.async {
            self.taking = take
            self.read()
        }
    }

    func close() {
        Self.queue.async {
            self.taking = nil
            // A source that waits still needs the descriptor; its end closes it.
            if let source = self.source { source.cancel() } else { self.closeDescriptor() }
            unlink(self.path)
        }
    }

    private func read() {
        guard descriptor >= 0, source == nil, let take = taking else { return }
        var piece = Data(count: Self.pieceSize)
        var count: Int
        repeat {
            count = piece.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
        } while count < 0 && errno == EINTR
        if count < 0, errno == EAGAIN { return wait() }
        taking = nil
        take(count > 0 ? piece.prefix(count) : nil)
    }

    private func wait() {
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: Self.queue)
        source.setEventHandler { source.cancel() }
        source.setCancelHandler { [weak self, descriptor] in
            guard let self else {
                Glibc.close(descriptor)
                return
            }
            self.source = nil
            if self.taking == nil { self.closeDescriptor() } else { self.read() }
        }
        self.source = source
        source.resume()
    }

    private func closeDescriptor() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }
}
