// The service inside a client's own process, for sessions that end with it: the same works with a database in
// memory and a folder of the process's own. No lock, no socket in the file system, no signals, no log, no exit.
// It begins with the first connection and lasts as long as the process.
import Foundation
import HTTPEngine
import TransferProtocol
import TransferStore

public enum HostedService {
    /// One end of a connection to this process's own service, as connecting to the other service's socket
    /// gives it. Any thread.
    /// - Throws: `SystemCallError`, also when the process's own folder could not be made.
    public static func connect() throws -> Int32 {
        let host = try begun.get()
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            throw SystemCallError("make a pair of sockets for", host.home.folder)
        }
        let far = ends[1]
        TransferActor.enqueue { host.admit(far) }
        return ends[0]
    }

    /// Where the process's own service keeps what must be a file; it goes with the process.
    public static func home() throws -> ServiceHome { try begun.get().home }

    private static let begun = Result { try begin() }

    private static func begin() throws -> Host {
        let folder = try ProcessFolder.make()
        let home = ServiceHome(folder: folder.path)
        try home.prepare()
        ServiceLog.isSilent = true
        let host = try TransferActor.queue.sync {
            try TransferActor.assumeIsolated { try Host(home: home, store: TransferStore.inMemory()) }
        }
        // After the engine has begun, so that this runs before the libraries that it uses clean up.
        atexit { HostedService.leave() }
        return host
    }

    /// The process is leaving by `exit`. One that is killed leaves its folder to the next one's sweep.
    private static func leave() {
        guard let host = try? begun.get() else { return }
        host.engine.shutdown()
        ProcessFolder.remove(host.home.folder)
    }

    @TransferActor
    private final class Host {
        nonisolated let home: ServiceHome
        nonisolated let engine: HTTPEngine
        private let works: TransferWorks
        private var connections: [ObjectIdentifier: Connection] = [:]

        init(home: ServiceHome, store: TransferStore) {
            self.home = home
            works = TransferWorks(
                home: home, store: store, leaving: URL(fileURLWithPath: NSTemporaryDirectory()).path)
            engine = works.engine
            works.registerOwnersCalls(leave: {})
        }

        func admit(_ descriptor: Int32) {
            let connection = Connection(descriptor: descriptor, peer: getpid())
            connections[ObjectIdentifier(connection)] = connection
            connection.whenLine = { [router = works.router] connection, line in
                router.route(connection, line)
            }
            connection.whenEnded = { [weak self] connection in
                self?.connections[ObjectIdentifier(connection)] = nil
                self?.works.disconnected(connection)
            }
            connection.begin()
        }
    }
}
