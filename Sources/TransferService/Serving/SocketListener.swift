// The listening socket: accepts clients of this user and nobody else.
import CLinux
import Foundation
import TransferProtocol

@TransferActor
final class SocketListener {
    /// More than this at once is a fault of a client; those beyond it wait in the backlog.
    static let mostConnections = 1024
    /// Bytes that all connections together may hold, half lines and unread answers. However many misbehave, the
    /// service stays small.
    static let mostHeld = 64 << 20
    /// Seconds until accepting is tried again after it failed, for want of descriptors for example.
    private static let patience = 1.0

    let descriptor: Int32
    private let time: any TimeSource
    private let source: any DispatchSourceRead
    /// The backlog stays readable while nobody is accepted; a source that listens on would spin.
    private var isResting = false
    private(set) var connections: [ObjectIdentifier: Connection] = [:]
    private var held = 0
    var whenConnected: (Connection) -> Void = { _ in }
    var whenDisconnected: (Connection) -> Void = { _ in }

    init(descriptor: Int32, time: any TimeSource) {
        self.descriptor = descriptor
        self.time = time
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: TransferActor.queue)
    }

    func begin() {
        source.setEventHandler { [weak self] in TransferActor.assumeIsolated { self?.accept() } }
        source.resume()
    }

    /// Stops accepting; the descriptor stays open, so that its backlog can be looked at.
    func stop() {
        // A source that rests would never let go of itself.
        if isResting { source.resume() }
        isResting = false
        source.cancel()
    }

    /// Takes everybody who has connected: for a service that is leaving, so that what a client wrote before
    /// it died is heard.
    func acceptBacklog() { accept() }

    /// Whether somebody has connected and was not accepted yet.
    var hasBacklog: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    private func accept() {
        while connections.count < Self.mostConnections {
            let client = clinux_accept(descriptor)
            if client >= 0 {
                admit(client)
                continue
            }
            let code = errno
            if code == EINTR || code == ECONNABORTED { continue }
            if code == EAGAIN { return }
            ServiceLog.note("could not accept a client: \(String(cString: strerror(code)))")
            rest()
            time.ring(after: Self.patience) { [weak self] in self?.goOn() }
            return
        }
        rest()
    }

    private func rest() {
        guard !isResting, !source.isCancelled else { return }
        isResting = true
        source.suspend()
    }

    private func goOn() {
        guard isResting, connections.count < Self.mostConnections else { return }
        isResting = false
        source.resume()
    }

    private func holds(_ change: Int) {
        held += change
        guard change > 0, held > Self.mostHeld,
            let greediest = connections.values.max(by: { $0.held < $1.held })
        else { return }
        ServiceLog.note(
            "connections hold \(held >> 20) MiB of half lines and unread answers; that of process "
                + "\(greediest.peer), which holds the most, ends")
        greediest.end()
    }

    private func admit(_ client: Int32) {
        guard let peer = UnixSocket.peer(of: client), peer.uid == geteuid() || peer.uid == 0 else {
            ServiceLog.note("refused a connection of another user")
            close(client)
            return
        }
        let connection = Connection(descriptor: client, peer: peer.pid)
        connections[ObjectIdentifier(connection)] = connection
        connection.whenHolding = { [weak self] in self?.holds($0) }
        connection.whenEnded = { [weak self] connection in
            self?.connections[ObjectIdentifier(connection)] = nil
            self?.goOn()
            self?.whenDisconnected(connection)
        }
        whenConnected(connection)
        connection.begin()
    }
}
