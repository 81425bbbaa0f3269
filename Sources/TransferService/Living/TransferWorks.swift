// What every service is made of, whoever reaches it: store, engine, scheduler, delivery, router. It knows no
// socket's name, no lock and no end of its own.
import Foundation
import HTTPEngine
import TransferProtocol
import TransferStore

@TransferActor
final class TransferWorks {
    let store: TransferStore
    let turn: Turn
    let engine: HTTPEngine
    let scheduler: Scheduler
    let ownership: Ownership
    let delivery: Delivery
    let relauncher: Relauncher
    let allowance: ClientAllowance
    let router: Router
    private let home: ServiceHome
    private let relay = EngineRelay()

    /// - Parameter leaving: see `BodyFolder`.
    init(
        home: ServiceHome, store: TransferStore, leaving: String? = nil, time: any TimeSource = SystemTime()
    ) {
        self.home = home
        self.store = store
        ownership = Ownership(time: time)
        let relay = relay
        turn = Turn(store: store)
        let boot = BootIdentity.current()
        engine = HTTPEngine { report in TransferActor.enqueue { relay.take(report) } }
        scheduler = Scheduler(
            store: store, turn: turn, bodies: BodyFolder(home: home, boot: boot, leaving: leaving),
            boot: boot, engine: engine, time: time)
        relay.scheduler = scheduler
        delivery = Delivery(scheduler: scheduler, ownership: ownership)
        scheduler.observer = delivery
        let environment = ProcessInfo.processInfo.environment
        relauncher = Relauncher(
            scheduler: scheduler, ownership: ownership, programs: ProgramLauncher(home: home),
            settings: WakePolicy.Settings(environment: environment), time: time)
        allowance = ClientAllowance(
            store: store, turn: turn, limits: ClientAllowance.Limits(environment: environment))
        router = Router(turn: turn)
        delivery.whenUnheard = { [relauncher] in relauncher.sessionChanged($0) }
        delivery.whenDealtWith = { [relauncher] in relauncher.dealtWith($0, $1) }
        relauncher.isAllowed = { [allowance] in (try? allowance.isSwitchedOff($0)) == false }
    }

    /// Between curl's thread and a scheduler that does not exist yet when the engine is made.
    @TransferActor
    private final class EngineRelay {
        weak var scheduler: Scheduler?
        nonisolated init() {}
        func take(_ report: EngineReport) { scheduler?.take(report) }
    }

    /// The calls that owners make.
    /// - Parameter leave: what `shutdown` asks for.
    func registerOwnersCalls(leave: @escaping () -> Void) {
        SessionHandlers(
            store: store, turn: turn, ownership: ownership, delivery: delivery, relauncher: relauncher,
            leave: leave
        ).register(on: router)
        TaskHandlers(
            store: store, turn: turn, scheduler: scheduler, delivery: delivery, ownership: ownership,
            home: home, relauncher: relauncher, allowance: allowance
        ).register(on: router)
    }

    /// Links made for it stay: it may have lost its connection only, with its delegate at work on one.
    func disconnected(_ connection: Connection) {
        let owner = ownership.owner(on: connection)
        // Before the next owner hears what waits for it.
        if let owner { delivery.ownerLeft(owner) }
        ownership.leave(connection)
        if let owner { relauncher.sessionChanged(owner.session.id) }
    }
}
