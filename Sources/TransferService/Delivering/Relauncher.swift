// Starts the owners of sessions whose tasks have ended, or wait for a word, while nobody was there. What is to
// happen WakePolicy decides; here it is written down and carried out. Its timers are dates of the wall clock, as
// the delays are hours and outlive the service.
import Foundation
import TransferProtocol
import TransferStore

@TransferActor
final class Relauncher {
    private let store: TransferStore
    private let turn: Turn
    private let scheduler: Scheduler
    private let ownership: Ownership
    private let programs: any ProgramLaunching
    private let settings: WakePolicy.Settings
    private let time: any TimeSource
    /// Whether background work of that client is allowed.
    var isAllowed: (String) -> Bool = { _ in true }
    /// A visit is over, or a wake is no longer to come.
    var whenQuiet: () -> Void = {}

    /// Sessions that are to be looked at when a date comes.
    private var due: [Int64: Date] = [:]
    private lazy var alarm = DateAlarm(time) { [weak self] in self?.dueCame() }
    /// Programs that run, those whose visit is closed included, by session.
    private var running: [Int64: LaunchedProgram] = [:]
    /// Sessions with an open visit.
    private var visits: Set<Int64> = []
    private var boundsOutput = false

    init(
        scheduler: Scheduler, ownership: Ownership, programs: any ProgramLaunching,
        settings: WakePolicy.Settings, time: any TimeSource
    ) {
        store = scheduler.store
        turn = scheduler.turn
        self.scheduler = scheduler
        self.ownership = ownership
        self.programs = programs
        self.settings = settings
        self.time = time
    }

    /// No visit is open, and no wake is to come.
    var isQuiet: Bool { visits.isEmpty && due.isEmpty }

    // MARK: What happens

    /// Takes up what an earlier service left: visits whose programs may still run, and wakes to come.
    func recover() {
        attempt("take up wakes") {
            for (session, wake) in try store.wakes() {
                guard let visit = wake.visit else { continue }
                guard visit.pid > 0 else {
                    try take(.notStarted(reason: "the service ended before it was started"), session)
                    continue
                }
                let program = LaunchedProgram(pid: visit.pid, startTicks: visit.startTicks)
                visits.insert(session)
                running[session] = program
                setLimit(session, visit.token, at: visit.began.addingTimeInterval(settings.visitLimit))
                watch(program, session, visit.token)
            }
            for session in try store.sessions() { try look(session.id) }
        }
    }

    /// Events were posted, a question came up, an owner has left, or a date has come.
    func sessionChanged(_ session: Int64) { attempt("look at a wake") { try look(session) } }

    /// An owner attached. Whoever does not descend from a wake was started by the person.
    func attached(_ owner: Owner) {
        due[owner.session.id] = nil
        guard owner.visit == nil else { return }
        attempt("note that the person came") { try takeKnown(.personCame, owner.session.id) }
    }

    /// An owner has dealt with everything up to that event.
    func dealtWith(_ newest: Int64, _ session: Int64) {
        attempt("note what was dealt with") {
            guard newest > 0, try hasCommand(session) else { return }
            try take(.dealtWith(newest: newest), session)
        }
    }

    /// The owner is about to resume a new task. When it descends from a wake: until when that task is held.
    func queued(by owner: Owner) throws(StoreError) -> Date? {
        guard let visit = owner.visit else { return nil }
        let origin = visit.split(separator: "-").first.flatMap { Int64($0) }
        let level = try origin.map { (id) throws(StoreError) in try store.wake(session: id)?.visitLevel ?? 0 }
        try take(.queued(level: level ?? 0), owner.session.id)
        // A visit that queues elsewhere is not one that leaves nothing to do.
        if let origin, origin != owner.session.id, visits.contains(origin) {
            try take(.queued(level: 0), origin)
        }
        return try store.wake(session: owner.session.id)?.notBefore
    }

    /// A program says that it has dealt with what it was woken for.
    func close(_ token: String) throws(StoreError) {
        guard let session = token.split(separator: "-").first.flatMap({ Int64($0) }),
            try store.wake(session: session)?.visit?.token == token
        else { return }
        // Its acknowledgements come on another connection.
        ownership.owner(of: session)?.connection.readToEnd()
        try take(.closed(leavesNothing: try leavesNothing(session)), session)
        endVisit(session)
    }

    /// The person ended the client on purpose: no wake until they start it.
    func quit(_ session: Int64, endsProgram: Bool) throws(StoreError) {
        try take(.quit(endsProgram: endsProgram), session)
    }

    func summary(_ session: Int64) throws(StoreError) -> WakeSummary? {
        guard let wake = try store.wake(session: session), wake.launches > 0 else { return nil }
        return WakeSummary(
            launches: wake.launches, last: wake.lastLaunch, outcome: wake.outcome?.rawValue,
            detail: wake.detail, next: wake.notBefore.flatMap { $0 > time.date ? $0 : nil })
    }

    // MARK: Deciding and carrying out

    private func look(_ session: Int64) throws(StoreError) {
        due[session] = nil
        // First, since most sessions have none.
        guard try hasCommand(session), let record = try store.session(id: session) else { return }
        let facts = WakeFacts(
            mayLaunch: isAllowed(record.client),
            isOwned: ownership.owner(of: session) != nil,
            isUnderWay: try store.hasTasksUnderWay(session: session),
            newest: try store.newestEvent(session: session),
            question: try scheduler.questions(session: session).last?.number ?? 0)
        guard facts.newest > 0 || facts.question > 0 else { return }
        try take(.looked(facts, token: "\(session)-\(UUID().uuidString)"), session)
    }

    private func hasCommand(_ session: Int64) throws(StoreError) -> Bool {
        guard let record = try store.session(id: session) else { return false }
        let configuration = try store.configuration(record.configuration)
        return configuration.sendsLaunchEvents && configuration.launchCommand?.arguments.isEmpty == false
    }

    private func leavesNothing(_ session: Int64) throws(StoreError) -> Bool {
        guard try store.newestEvent(session: session) == 0 else { return false }
        return try !store.hasTasksUnderWay(session: session)
    }

    /// As `take`, for a session that may never have been woken: then there is nothing to note.
    private func takeKnown(_ input: WakeInput, _ session: Int64) throws(StoreError) {
        if try store.wake(session: session) != nil { try take(input, session) }
    }

    private func take(_ input: WakeInput, _ session: Int64) throws(StoreError) {
        var policy = WakePolicy(try store.wake(session: session) ?? WakeRecord(), settings: settings)
        for action in policy.handle(input, now: time.date) {
            switch action {
            case .save:
                let record = policy.record
                try turn.write { store throws(StoreError) in try store.save(record, session: session) }
            case .launch(let token):
                visits.insert(session)
                turn.afterCommit { [weak self] in
                    self?.launch(session, token)
                } failed: { [weak self] _ in
                    self?.visits.remove(session)
                    self?.look(again: session, at: (self?.time.date ?? Date()).addingTimeInterval(2))
                }
            case .lookAgain(let date):
                look(again: session, at: date)
            case .limit(let date):
                if let token = policy.record.visit?.token { setLimit(session, token, at: date) }
            case .endProgram:
                endProgram(session)
            case .releaseHeld:
                try scheduler.releaseHeld(session: session)
            }
        }
    }

    private func look(again session: Int64, at date: Date) {
        due[session] = date
        alarm.consider(date)
    }

    private func dueCame() {
        let now = time.date
        for (session, date) in due where date <= now { sessionChanged(session) }
        if let next = due.values.min() { alarm.consider(next) }
        whenQuiet()
    }

    private func launch(_ session: Int64, _ token: String) {
        attempt("start a program") {
            guard let record = try store.session(id: session),
                let command = try store.configuration(record.configuration).launchCommand
            else { return }
            let title = "\(record.identifier) of \(record.client): \(command.arguments.first ?? "-")"
            do throws(SystemCallError) {
                let program = try programs.start(
                    command,
                    environment: [
                        VisitEnvironment.identifier: record.identifier, VisitEnvironment.visit: token,
                    ], title: title)
                ServiceLog.note("woke \(title), process \(program.pid)")
                running[session] = program
                watch(program, session, token)
                keepOutputBounded()
                note(.started(pid: program.pid, startTicks: program.startTicks), session)
            } catch {
                ServiceLog.note("could not wake \(title): \(error)")
                visits.remove(session)
                note(.notStarted(reason: "\(error)"), session)
                sessionChanged(session)
            }
        }
    }

    // MARK: A program that runs

    private func watch(_ program: LaunchedProgram, _ session: Int64, _ token: String) {
        programs.watch(program) { [weak self] word in
            guard let self else { return }
            if self.running[session] == program { self.running[session] = nil }
            self.attempt("note a program's end") {
                // What it wrote before its end counts.
                self.ownership.owner(of: session)?.connection.readToEnd()
                guard try self.store.wake(session: session)?.visit?.token == token else { return }
                try self.take(
                    .ended(status: word, leavesNothing: try self.leavesNothing(session)), session)
                self.endVisit(session)
            }
        }
    }

    private func endVisit(_ session: Int64) {
        visits.remove(session)
        turn.afterCommit { [weak self] in
            self?.noteOutcome(session)
            self?.sessionChanged(session)
            self?.whenQuiet()
        }
    }

    private func noteOutcome(_ session: Int64) {
        guard let wake = try? store.wake(session: session), let outcome = wake.outcome else { return }
        ServiceLog.note(
            "the visit of session \(session) is over: \(outcome.rawValue)"
                + (wake.detail.map { ", \($0)" } ?? ""))
    }

    private func setLimit(_ session: Int64, _ token: String, at date: Date) {
        let seconds = min(max(0, date.timeIntervalSince(time.date)), settings.visitLimit)
        time.ring(after: seconds) { [weak self] in
            guard let self, (try? self.store.wake(session: session))??.visit?.token == token else { return }
            self.note(.limitPassed, session)
        }
    }

    private func endProgram(_ session: Int64) {
        guard let program = running[session] else { return }
        ServiceLog.note("process \(program.pid) is asked to end")
        programs.signal(SIGTERM, program)
        programs.signal(SIGCONT, program)
        time.ring(after: settings.grace) { [weak self] in
            guard let self, self.running[session] == program else { return }
            self.programs.signal(SIGKILL, program)
        }
    }

    /// Once a second, as long as a visit is open.
    private func keepOutputBounded() {
        guard !boundsOutput else { return }
        boundsOutput = true
        time.ring(after: 1) { [weak self] in
            guard let self else { return }
            self.boundsOutput = false
            self.programs.boundOutput()
            if !self.visits.isEmpty { self.keepOutputBounded() }
        }
    }

    private func note(_ input: WakeInput, _ session: Int64) {
        attempt("note a wake") { try take(input, session) }
    }

    private func attempt(_ what: String, _ work: () throws -> Void) {
        do {
            try work()
        } catch {
            ServiceLog.note("could not \(what): \(error)")
        }
    }
}
