// The service put together: lock, store, engine, scheduler, socket, and the way it lives and leaves.
import CLinux
import Foundation
import TransferProtocol
import TransferStore

/// One per-user transfer service, run by `ServiceProcess`. A process-bound session's is `HostedService`.
@TransferActor
final class Service {
    private let home: ServiceHome
    private let lock: FileLock
    private let time = SystemTime()
    private let works: TransferWorks
    private let listener: SocketListener
    private let socket: SocketFile?
    private var idleExit: IdleExit?
    private var signals: [any DispatchSourceSignal] = []
    private var homeWatch: HomeWatch?
    private var isLeaving = false

    private init(home: ServiceHome, lock: FileLock, listening: Int32, socket: SocketFile?) throws {
        self.home = home
        self.lock = lock
        self.socket = socket
        let opened = try TransferStore.open(at: home.database)
        if let aside = opened.setAside {
            ServiceLog.note("the database is kept as \(aside.path): \(aside.message)")
            try BodyFolder.setAside(home, beside: aside.path)
        }
        works = TransferWorks(home: home, store: opened.store, time: time)
        listener = SocketListener(descriptor: listening, time: time)
    }

    /// Begins on the actor's queue and lives until the process ends.
    static func begin(
        home: ServiceHome, lock: FileLock, listening: Int32, socket: SocketFile?, idleSeconds: Double
    ) throws {
        let service = try Service(home: home, lock: lock, listening: listening, socket: socket)
        try service.begin(idleSeconds: idleSeconds)
        running = service
    }

    private static var running: Service?

    private func begin(idleSeconds: Double) throws {
        let started = time.date
        ServiceLog.note(
            "urlsessiond \(ProtocolVersion.product) begins, process \(getpid()), home \(home.folder)")
        recover()
        works.registerOwnersCalls { [weak self] in
            if let self { self.leave(because: "it was asked to") }
        }
        AdminHandlers(
            store: works.store, scheduler: works.scheduler, ownership: works.ownership, home: home,
            started: started, relauncher: works.relauncher,
            countConnections: { [weak self] in self?.listener.connections.count ?? 0 }
        ).register(on: works.router)
        ClientHandlers(
            store: works.store, turn: works.turn, scheduler: works.scheduler, relauncher: works.relauncher,
            allowance: works.allowance,
            connections: { [weak self] in self.map { Array($0.listener.connections.values) } ?? [] }
        ).register(on: works.router)
        let idle = IdleExit(
            time, seconds: idleSeconds, isIdle: { [weak self] in self?.isIdle() ?? false },
            leave: { [weak self] in self?.leaveIfNobodyComes() ?? true })
        idleExit = idle
        works.delivery.whenQuiet = { [weak idle] in idle?.reconsider() }
        works.relauncher.whenQuiet = { [weak idle] in idle?.reconsider() }
        works.relauncher.recover()
        listener.whenConnected = { [router = works.router] connection in
            connection.whenLine = { connection, line in router.route(connection, line) }
        }
        listener.whenDisconnected = { [weak self] connection in self?.disconnected(connection) }
        listener.begin()
        listenForSignals()
        homeWatch = HomeWatch(folder: home.folder, lockFile: home.instanceLock) { [weak self] in
            self?.leave(because: "its home was removed", isHomeless: true)
        }
        idle.reconsider()
    }

    private func recover() {
        let store = works.store
        works.scheduler.recover()
        works.turn.close()
        let removed = works.scheduler.bodies.removeOrphans(
            // When in doubt a file stays.
            isKnownBody: { (try? store.refers(toBody: $0)) ?? true },
            isDelivered: { (try? store.hasEvents(task: $0)) ?? true })
        if removed > 0 { ServiceLog.note("removed \(removed) files that nothing refers to") }
    }

    private func disconnected(_ connection: Connection) {
        works.disconnected(connection)
        idleExit?.reconsider()
        // What its messages took; behind them, since its last ones may be on their way to the disk.
        TransferActor.enqueue { clinux_trim_heap(Self.mostFree) }
    }

    /// Bytes that the heap may hold free when a client has left.
    private static let mostFree = 512 << 10

    private func isIdle() -> Bool {
        listener.connections.isEmpty && works.scheduler.isQuiet() && works.relauncher.isQuiet
    }

    // MARK: Leaving

    private func listenForSignals() {
        for number in [SIGTERM, SIGINT] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: TransferActor.queue)
            source.setEventHandler { [weak self] in
                TransferActor.assumeIsolated { () -> Void in
                    if let self { self.leave(because: "of a signal") }
                }
            }
            source.resume()
            signals.append(source)
        }
    }

    /// Returns false when somebody starts or connects at this very moment, and otherwise not at all.
    private func leaveIfNobodyComes() -> Bool {
        guard let startLock = try? FileLock(path: home.startLock, wait: false), !listener.hasBacklog
        else { return false }
        leave(because: "nobody needs it", startLock: startLock)
        return true
    }

    /// Stops everything where it stands; the next service goes on from there.
    private func leave(because reason: String, startLock: FileLock? = nil, isHomeless: Bool = false) {
        guard !isLeaving else { return }
        isLeaving = true
        ServiceLog.note("leaving because \(reason)")
        // Whoever starts a service waits for this lock, and finds no socket when it has it. Nothing is made
        // anew in a home that somebody is removing.
        let startLock = startLock ?? (isHomeless ? nil : try? FileLock(path: home.startLock, wait: true))
        listener.stop()
        // A client that wrote and died counts on being heard. systemd's backlog waits for the next service.
        if socket != nil { listener.acceptBacklog() }
        for connection in listener.connections.values { connection.readToEnd() }
        works.engine.shutdown()
        works.turn.close()
        socket?.remove()
        for connection in listener.connections.values { connection.end() }
        lock.release()
        startLock?.release()
        exit(0)
    }
}
