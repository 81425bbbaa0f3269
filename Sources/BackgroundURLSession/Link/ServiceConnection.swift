// One open socket to the service: whole lines out, whole lines in. Knows JSON-RPC's envelope and the
// handshake, no session. Writing is for whoever holds the caller's lock, reading for one thread.
import Foundation
import TransferProtocol

final class ServiceConnection: @unchecked Sendable {
    // Unchecked: `framer` and `inbox` belong to the reading thread; the descriptor never changes, and is
    // closed by `deinit`, when neither side can use it any more.
    let descriptor: Int32
    private var framer = LineFramer(limit: 64 << 20)
    private var inbox: [Data] = []
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)
    private var lastID = 0

    init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Ends the connection for both sides. What was written is still read by the other end.
    func hangUp() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Seconds until `readLine` gives up with EAGAIN; 0 means never.
    func limitWaiting(to seconds: Double) {
        var limit = timeval(tv_sec: Int(seconds), tv_usec: Int((seconds - seconds.rounded(.down)) * 1e6))
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Writes all of it, blocking. False when the connection has ended. Never raises SIGPIPE.
    func write(_ line: Data) -> Bool {
        line.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) -> Bool in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = send(
                    descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count,
                    Int32(MSG_NOSIGNAL))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    enum Reading {
        case line(Data)
        case ended
        case timedOut
    }

    /// The next line, blocking.
    func readLine() -> Reading {
        while inbox.isEmpty {
            if let reading = readMore() { return reading }
        }
        // Filled only when empty, and in reverse, so that taking a line moves nothing.
        return .line(inbox.removeLast())
    }

    /// Reads once; says something only when no line can come of it.
    private func readMore() -> Reading? {
        let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { return nil }
        if count < 0, errno == EAGAIN { return .timedOut }
        guard count > 0 else { return .ended }
        let lines = buffer.withUnsafeBytes { bytes in
            try? framer.take(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        }
        guard let lines else { return .ended }
        inbox = lines.reversed()
        return nil
    }

    enum Answer<Value> {
        case result(Value)
        case refused(RPCError)
        case ended
        case timedOut
    }

    /// Sends a call and reads until it is answered: for one thread that has the connection to itself.
    /// Ids count down from -1, so that they never meet a link's own.
    func call<Call: ServiceCall>(
        _ call: Call, meanwhile: (Data) -> Void = { _ in }
    ) -> Answer<Call.Result> {
        lastID -= 1
        let id = MessageID.number(lastID)
        guard let line = try? JSONRPC.request(call, id: id) else {
            return .refused(.invalidParams("the call cannot be written as JSON"))
        }
        // A write that fails may still have an answer before it: the service's last words.
        _ = write(line)
        while true {
            switch readLine() {
            case .ended: return .ended
            case .timedOut: return .timedOut
            case .line(let line):
                guard let envelope = try? MessageEnvelope(line: line) else { continue }
                guard envelope.id == id, envelope.method == nil else {
                    meanwhile(line)
                    continue
                }
                if let error = envelope.error { return .refused(error) }
                do {
                    return .result(try JSONRPC.result(Call.Result.self, in: line))
                } catch {
                    return .refused(.parse("the service's answer to \(Call.method) cannot be read: \(error)"))
                }
            }
        }
    }
}
