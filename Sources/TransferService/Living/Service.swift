// The service put together: lock, store, engine, scheduler, socket, and the way it lives and leaves.
import Foundation
import HTTPEngine
import TransferProtocol
import TransferStore

/// One per-user transfer service. `ServiceProcess` runs it; a process-bound session will host it.
@TransferActor
final class Service {
    private let home: ServiceHome
    private let lock: FileLock
    private let turn: Turn
    private let scheduler: Scheduler
    private let engine: HTTPEngine
    private let listener: SocketListener
    private let socket: SocketFile?
    private let ownership = Ownership()
    private let delivery: Delivery
    private let router: Router
    private var idleExit: IdleExit?
    private var signals: [any DispatchSourceSignal] = []
    private var homeWatch: HomeWatch?
    private let relay = EngineRelay()
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
        let store = opened.store
        let relay = relay
        turn = Turn(store: store)
        let boot = BootIdentity.current()
        engine = HTTPEngine { report in TransferActor.enqueue { relay.take(report) } }
        scheduler = Scheduler(
            store: store, turn: turn, bodies: BodyFolder(home: home, boot: boot), boot: boot, engine: engine)
        relay.scheduler = scheduler
        delivery = Delivery(scheduler: scheduler, ownership: ownership)
        scheduler.observer = delivery
        listener = SocketListener(descriptor: listening)
        router = Router(turn: turn)
    }

    /// Between curl's thread and a scheduler that does not exist yet when the engine is made.
    @TransferActor
    private final class EngineRelay {
        weak var scheduler: Scheduler?
        nonisolated init() {}
        func take(_ report: EngineReport) { scheduler?.take(report) }
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
        let started = Date()
        ServiceLog.note(
            "urlsessiond \(ProtocolVersion.product) begins, process \(getpid()), home \(home.folder)")
        recover()
        SessionHandlers(
            store: scheduler.store, turn: turn, ownership: ownership, delivery: delivery,
            leave: { [weak self] in
                if let self { self.leave(because: "it was asked to") }
            }
        ).register(on: router)
        TaskHandlers(
            store: scheduler.store, turn: turn, scheduler: scheduler, ownership: ownership, home: home
        ).register(on: router)
        AdminHandlers(
            store: scheduler.store, scheduler: scheduler, ownership: ownership, home: home, started: started,
            countConnections: { [weak self] in self?.listener.connections.count ?? 0 }
        ).register(on: router)
        let idle = IdleExit(
            seconds: idleSeconds, isIdle: { [weak self] in self?.isIdle() ?? false },
            leave: { [weak self] in self?.leaveIfNobodyComes() ?? true })
        idleExit = idle
        delivery.whenQuiet = { [weak idle] in idle?.reconsider() }
        listener.whenConnected = { [router] connection in
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
        let store = scheduler.store
        scheduler.recover()
        turn.close()
        let removed = scheduler.bodies.removeOrphans(
            // When in doubt a file stays.
            isKnownBody: { (try? store.refers(toBody: $0)) ?? true },
            isDelivered: { (try? store.hasEvents(task: $0)) ?? true })
        if removed > 0 { ServiceLog.note("removed \(removed) files that nothing refers to") }
    }

    private func disconnected(_ connection: Connection) {
        // Links made for it stay: it may have lost its connection only, with its delegate at work on one.
        ownership.leave(connection)
        idleExit?.reconsider()
    }

    private func isIdle() -> Bool { listener.connections.isEmpty && scheduler.isQuiet() }

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
        engine.shutdown()
        turn.close()
        socket?.remove()
        for connection in listener.connections.values { connection.end() }
        lock.release()
        startLock?.release()
        exit(0)
    }
}
