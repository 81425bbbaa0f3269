// From nothing to a connection that has said hello: starts the service if need be, tries again when it was
// just leaving, and replaces an older one. Blocks; any thread.
import Foundation
import TransferProtocol

struct ServiceGreeting {
    let access: ServiceAccess
    /// The name this client goes by.
    let client: String
    /// Seconds that a service may take to say hello.
    var patience: Double = 30

    /// A service that leaves at the moment of connecting cuts the client off; this is how often that may be.
    private static let attempts = 20
    /// A service that was started and ended without a word will do so again.
    private static let starts = 3

    /// Nil when the service does not run and `starting` is false.
    func connect(
        starting: Bool
    ) throws(ServiceError) -> (connection: ServiceConnection, service: Hello.Result)? {
        var starts = 0
        for _ in 0..<Self.attempts {
            guard let opened = try ServiceStarter(access: access).open(starting: starting) else { return nil }
            if opened.hasStarted { starts += 1 }
            let connection = ServiceConnection(descriptor: opened.descriptor)
            connection.limitWaiting(to: patience)
            switch connection.call(Hello(client: client)) {
            case .result(let service):
                connection.limitWaiting(to: 0)
                return (connection, service)
            case .refused(let error) where error.data?.reason == .versionMismatch:
                try replace(connection, error)
            case .refused(let error) where error.data?.reason == .leaving:
                continue
            case .refused(let error):
                throw .refused(message: error.message)
            case .timedOut:
                throw .notAnswering(home: access.home.folder)
            case .ended:
                if starts >= Self.starts { break }
                continue
            }
            if starts >= Self.starts { throw .leftAtOnce(log: access.home.log) }
        }
        throw .leftAtOnce(log: access.home.log)
    }

    /// Asks an older service to leave and waits until it has; a newer one is an error.
    private func replace(_ connection: ServiceConnection, _ error: RPCError) throws(ServiceError) {
        let version = error.data?.version ?? 0
        guard version < ProtocolVersion.current else {
            throw .clientTooOld(clientVersion: ProtocolVersion.current, serviceVersion: version)
        }
        _ = connection.call(Shutdown())
        waitForEnd(of: connection)
    }

    /// The service holds the start lock while it leaves, so that having had it means that it has left.
    func waitForEnd(of connection: ServiceConnection) {
        while case .line = connection.readLine() {}
        try? FileLock(path: access.home.startLock, wait: true)?.release()
    }
}
