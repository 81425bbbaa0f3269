// The listening socket: accepts clients of this user and nobody else.
import CLinux
import Foundation
import TransferProtocol

@TransferActor
final class SocketListener {
    /// More than this at once is a fault of a client; those beyond it wait in the backlog.
    static let mostConnections = 1024

    let descriptor: Int32
    private let source: any DispatchSourceRead
    private(set) var connections: [ObjectIdentifier: Connection] = [:]
    var whenConnected: (Connection) -> Void = { _ in }
    var whenDisconnected: (Connection) -> Void = { _ in }

    init(descriptor: Int32) {
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: TransferActor.queue)
    }

    func begin() {
        source.setEventHandler { [weak self] in TransferActor.assumeIsolated { self?.accept() } }
        source.resume()
    }

    /// Stops accepting; the descriptor stays open, so that its backlog can be looked at.
    func stop() { source.cancel() }

    /// Whether somebody has connected and was not accepted yet.
    var hasBacklog: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    private func accept() {
        while connections.count < Self.mostConnections {
            let client = clinux_accept(descriptor)
            if client < 0 {
                if errno == EINTR || errno == ECONNABORTED { continue }
                if errno != EAGAIN {
                    ServiceLog.note("could not accept a client: \(String(cString: strerror(errno)))")
                }
                return
            }
            admit(client)
        }
    }

    private func admit(_ client: Int32) {
        guard let peer = UnixSocket.peer(of: client), peer.uid == geteuid() || peer.uid == 0 else {
            ServiceLog.note("refused a connection of another user")
            close(client)
            return
        }
        let connection = Connection(descriptor: client, peer: peer.pid)
        connections[ObjectIdentifier(connection)] = connection
        connection.whenEnded = { [weak self] connection in
            self?.connections[ObjectIdentifier(connection)] = nil
            self?.whenDisconnected(connection)
        }
        whenConnected(connection)
        connection.begin()
    }
}
