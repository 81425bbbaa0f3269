// One client's socket: lines in, lines out, never blocking. It does not understand what it carries.
import CLinux
import Foundation
import TransferProtocol

@TransferActor
final class Connection {
    /// The longest line a client may send. Bodies never travel in lines; resume data does.
    static let longestLine = 1 << 20
    /// A client that leaves more than this unread is cut off; it attaches again and loses nothing.
    static let mostUnread = 16 << 20
    private static let pieceSize = 1 << 16

    /// The process at the other end.
    let peer: pid_t
    /// What `hello` said; nil before.
    var client: String?
    private(set) var isOpen = true

    var whenLine: (Connection, Data) -> Void = { _, _ in }
    var whenDrained: () -> Void = {}
    var whenEnded: (Connection) -> Void = { _ in }
    /// It holds so many bytes more, or fewer, than it did when this was called before.
    var whenHolding: (Int) -> Void = { _ in }

    private let descriptor: Int32
    private let readSource: any DispatchSourceRead
    private var writeSource: (any DispatchSourceWrite)?
    private var framer = LineFramer(limit: longestLine)
    private var unsent = Data()
    private var isReading = false
    /// What this go has to say waits for its end.
    private var isWriteDue = false
    /// Bytes in memory that wait for the client: the rest of its line, or its reading.
    private(set) var held = 0

    init(descriptor: Int32, peer: pid_t) {
        self.descriptor = descriptor
        self.peer = peer
        readSource = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: TransferActor.queue)
    }

    func begin() {
        readSource.setEventHandler { [weak self] in
            TransferActor.assumeIsolated { self?.read(atMost: 4 * Self.pieceSize) }
        }
        // The descriptor outlives both sources: closing it under one would hand its number to a stranger.
        readSource.setCancelHandler { [descriptor] in close(descriptor) }
        readSource.resume()
    }

    /// Nothing waits to be written.
    var isDrained: Bool { unsent.isEmpty }

    // MARK: Reading

    /// Takes everything the client has written, also after its death: a reset is an end like any other,
    /// and what was written before it is still there.
    ///
    /// Of one that lives, only what is there now: it may write faster than its lines are dealt with.
    func readToEnd() {
        repeat {
            // At least one, to meet the end.
            read(atMost: max(1, Int(clinux_unread_bytes(descriptor))))
            // Whoever has hung up writes no more: what is there then is the rest.
        } while isOpen && !isReading && clinux_has_hung_up(descriptor)
    }

    private func read(atMost most: Int) {
        // A line's handler may ask for this connection to be read to its end; the outer loop does that.
        guard isOpen, !isReading else { return }
        isReading = true
        defer {
            isReading = false
            noteHeld()
        }
        var wasReset = false
        var left = most
        while isOpen, left > 0 {
            let got = withUnsafeTemporaryAllocation(byteCount: Self.pieceSize, alignment: 1) { buffer in
                let length = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
                if length > 0 { take(UnsafeRawBufferPointer(rebasing: buffer[..<length])) }
                return length
            }
            if got > 0 {
                left -= got
                continue
            }
            if got < 0, errno == EINTR { continue }
            if got < 0, errno == EAGAIN || errno == EWOULDBLOCK { return }
            if got < 0, errno == ECONNRESET, !wasReset {
                wasReset = true
                continue
            }
            return end()
        }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) {
        do {
            for line in try framer.take(bytes) where isOpen { whenLine(self, line) }
        } catch {
            for line in error.before where isOpen { whenLine(self, line) }
            notifyFailure(.parse("a line is longer than \(error.limit) bytes; this connection ends"))
            end()
        }
    }

    // MARK: Writing

    func reply<Result: Encodable>(_ result: Result, to id: MessageID) {
        send { try result is NoContent ? JSONRPC.done(id) : JSONRPC.reply(result, to: id) }
    }

    func fail(_ error: RPCError, to id: MessageID?) { send { try JSONRPC.failure(error, to: id) } }

    func notify<Note: ServiceNotification>(_ note: Note) { send { try JSONRPC.notification(note) } }

    private func notifyFailure(_ error: RPCError) { fail(error, to: nil) }

    private func send(_ encode: () throws -> Data) {
        guard isOpen else { return }
        do {
            unsent.append(try encode())
        } catch {
            return ServiceLog.note("could not encode a message: \(error)")
        }
        writeSoon()
        noteHeld()
        guard unsent.count > Self.mostUnread else { return }
        ServiceLog.note("process \(peer) does not read what it is sent; its connection ends")
        end()
    }

    /// Everything that is said in one go leaves in one piece.
    private func writeSoon() {
        guard writeSource == nil, !isWriteDue else { return }
        isWriteDue = true
        TransferActor.enqueue { self.write() }
    }

    private func write() {
        isWriteDue = false
        while isOpen, !unsent.isEmpty {
            let sent = unsent.withUnsafeBytes {
                Glibc.send(
                    descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
                )
            }
            if sent > 0 {
                unsent = unsent.count == sent ? Data() : Data(unsent.dropFirst(sent))
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                return waitUntilWritable()
            } else if errno != EINTR {
                // The reading side finds the end, after what the client had written before it.
                unsent = Data()
            }
        }
        writeSource?.cancel()
        writeSource = nil
        whenDrained()
        noteHeld()
    }

    private func waitUntilWritable() {
        guard writeSource == nil else { return }
        let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: TransferActor.queue)
        source.setEventHandler { [weak self] in TransferActor.assumeIsolated { self?.write() } }
        source.resume()
        writeSource = source
    }

    private func noteHeld() {
        let now = isOpen ? unsent.count + framer.unfinishedCount : 0
        let change = now - held
        held = now
        if change != 0 { whenHolding(change) }
    }

    // MARK: The end

    func end() {
        guard isOpen else { return }
        if isWriteDue { write() }
        isOpen = false
        noteHeld()
        writeSource?.cancel()
        writeSource = nil
        shutdown(descriptor, Int32(SHUT_RDWR))
        readSource.cancel()
        whenEnded(self)
        whenLine = { _, _ in }
        whenDrained = {}
        whenEnded = { _ in }
        whenHolding = { _ in }
    }
}
