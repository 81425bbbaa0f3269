// Carries out what the transfer machines decide: writes, engine, timers, admission. The only place that
// holds running tasks in memory; everything that waits stays in the store.
import Foundation
import HTTPEngine
import TransferProtocol
import TransferStore

/// What the scheduler tells the side that speaks to owners. Called after the commit.
@TransferActor
protocol SchedulerObserver: AnyObject {
    func eventsPosted(session: Int64)
    func taskChanged(_ task: TaskRecord)
    func tasksMoved(_ tasks: [TaskRecord])
    func becameQuiet()
}

@TransferActor
final class Scheduler {
    let store: TransferStore
    let turn: Turn
    let bodies: BodyFolder
    weak var observer: (any SchedulerObserver)?
    private let engine: any TransferEngine
    private let boot: String

    private var live: [Int64: Live] = [:]
    private var keys: [TransferID: Int64] = [:]
    private var admission = Admission()
    private var lastTransfer: UInt64 = 0
    private static let reconcileDelay = 2.0
    private var isReconciling = false
    /// Which of a task's back-off timers counts; an older one that fires is ignored.
    private var retryGenerations: [Int64: Int] = [:]
    private var cancelReplies: [Int64: [(Data?) -> Void]] = [:]
    private lazy var alarm = DateAlarm { [weak self] in self?.datesCame() }

    /// A task with a connection, or about to have one.
    private struct Live {
        var machine: TransferMachine
        var transfer: TransferID?
        var plan: AttemptPlan = .whole
    }

    init(store: TransferStore, turn: Turn, bodies: BodyFolder, boot: String, engine: any TransferEngine) {
        self.store = store
        self.turn = turn
        self.bodies = bodies
        self.boot = boot
        self.engine = engine
    }

    // MARK: Questions

    /// The task as it is now: memory knows more of a running one than the disk.
    func current(_ task: TaskRecord) -> TaskRecord { live[task.key]?.machine.task ?? task }

    /// A running task, or nil.
    func liveTask(_ key: Int64) -> TaskRecord? { live[key]?.machine.task }

    var runningCount: Int { live.count }

    /// Nothing runs, waits to retry, or waits for a date.
    func isQuiet() -> Bool {
        guard live.isEmpty, let counts = try? store.countsByPhase() else { return false }
        return counts[.queued, default: 0] == 0 && counts[.waiting, default: 0] == 0
    }

    // MARK: Wishes

    func create(_ task: TaskRecord) throws(StoreError) {
        var task = task
        try turn.write { store throws(StoreError) in try store.insert(&task) }
    }

    func update(_ update: UpdateTask, key: Int64) throws(StoreError) {
        guard var machine = try machine(key) else { return }
        machine.apply(update)
        try keep(machine)
        try turn.write { store throws(StoreError) in try store.save(machine.task) }
        if let date = update.earliestBeginDate { alarm.consider(date) }
        try admit(lane: machine.task.lane)
    }

    func perform(_ input: TransferInput, key: Int64) throws(StoreError) {
        guard var machine = try machine(key) else { return }
        let actions = machine.handle(
            input, bodyLength: bodies.trustedLength(machine.task), now: Date(),
            chance: Double.random(in: 0..<1))
        try keep(machine)
        try carryOut(actions, machine.task)
    }

    /// Cancels and answers with resume data, or nil, once the task has ended.
    func cancel(key: Int64, keeping: Bool, reply: @escaping (Data?) -> Void) throws(StoreError) {
        guard let machine = try machine(key) else { return reply(nil) }
        if machine.task.phase == .ended { return reply(machine.task.error?.resumeData) }
        cancelReplies[key, default: []].append(reply)
        try perform(.cancel(keeping: keeping, reason: nil), key: key)
    }

    /// Removes an ended task with everything of it that nobody refers to any more.
    func forget(_ task: TaskRecord) throws(StoreError) {
        try turn.write { store throws(StoreError) in try store.remove(task: task.key) }
        turn.afterCommit { [bodies] in
            // After an error the body is gone already, or belongs to resume data.
            if task.error == nil { bodies.remove(task) }
        }
    }

    func noteHandedOver(_ file: HandedOverFile, task: TaskRecord) throws(StoreError) {
        var machine = TransferMachine(task)
        machine.noteHandedOver(file)
        try turn.write { store throws(StoreError) in try store.save(machine.task) }
    }

    // MARK: The engine's news

    func take(_ report: EngineReport) {
        do {
            switch report {
            case .head(let transfer, let head, _):
                guard let key = keys[transfer], let live = live[key] else { return }
                let response = ResponseRecord(head)
                let verdict = ResumePolicy.judge(
                    response, plan: live.plan, held: live.machine.task.held,
                    asksRange: live.machine.task.request.headers.first("Range") != nil)
                try perform(.answered(response, verdict), key: key)
            case .progress(let notes):
                count(notes)
            case .synced(let transfer, let offset):
                guard let key = keys[transfer] else { return }
                live[key]?.machine.noteSynced(offset: offset, boot: boot)
                try turn.write { store throws(StoreError) in
                    try store.saveProgress(key: key, syncedOffset: offset, boot: boot)
                }
            case .ended(let transfer, let outcome):
                guard let key = keys.removeValue(forKey: transfer), let task = live[key]?.machine.task else {
                    return
                }
                live[key]?.transfer = nil
                logEnd(of: task, outcome)
                let end = FailurePolicy.sort(outcome, url: task.request.url)
                try perform(.attemptEnded(end, sent: outcome.sent), key: key)
            }
        } catch {
            ServiceLog.note("could not write down news of a transfer: \(error)")
        }
    }

    private func count(_ notes: [TransferProgress]) {
        var moved: [TaskRecord] = []
        for note in notes {
            guard let key = keys[note.id] else { continue }
            live[key]?.machine.count(received: note.bodyLength, sent: note.sent)
            if let task = live[key]?.machine.task { moved.append(task) }
        }
        if !moved.isEmpty { observer?.tasksMoved(moved) }
    }

    private func logEnd(of task: TaskRecord, _ outcome: EngineOutcome) {
        guard case .failure(let failure) = outcome.result, failure.kind != .cancelled else { return }
        ServiceLog.note(
            "task \(task.key) \(ServiceLog.redacted(task.request.url)): attempt ended: \(failure.message)")
    }

    // MARK: Actions

    private func machine(_ key: Int64) throws(StoreError) -> TransferMachine? {
        if let live = live[key] { return live.machine }
        return try store.task(key: key).map(TransferMachine.init)
    }

    private func keep(_ machine: TransferMachine) throws(StoreError) {
        live[machine.task.key]?.machine = machine
    }

    private func carryOut(_ actions: [TransferAction], _ task: TaskRecord) throws(StoreError) {
        for action in actions {
            switch action {
            case .save:
                try save(task)
            case .enqueue:
                try admit(lane: task.lane)
            case .start(let plan):
                start(task, plan)
            case .pauseAttempt:
                if let transfer = live[task.key]?.transfer {
                    turn.afterCommit { [engine] in engine.pause(transfer) }
                }
            case .unpauseAttempt:
                if let transfer = live[task.key]?.transfer {
                    turn.afterCommit { [engine] in engine.unpause(transfer) }
                }
            case .stopAttempt:
                if let transfer = live[task.key]?.transfer {
                    turn.afterCommit { [engine] in engine.cancel(transfer) }
                }
            case .releaseConnection:
                release(task)
            case .retryAfter(let seconds):
                retry(task.key, after: seconds)
            case .emptyBody:
                bodies.empty(task)
            case .keepBody:
                try turn.write { store throws(StoreError) in
                    try store.keepPartial(
                        PartialRecord(
                            token: task.token, session: task.session, file: task.body,
                            bytes: task.received, created: Date(), syncedOffset: task.syncedOffset,
                            boot: task.boot))
                }
            case .removeBody:
                turn.afterCommit { [bodies] in bodies.remove(task) }
            case .retractEvents:
                try turn.write { store throws(StoreError) in try store.retractEvents(task: task.key) }
            case .post(let event):
                try turn.write { store throws(StoreError) in _ = try store.post(task: task.key, event) }
                turn.afterCommit { [weak self] in self?.observer?.eventsPosted(session: task.session) }
            case .report:
                turn.afterCommit { [weak self] in self?.observer?.taskChanged(task) }
            }
        }
        if task.phase == .ended { ended(task) }
    }

    private func save(_ task: TaskRecord) throws(StoreError) {
        try turn.write { store throws(StoreError) in try store.save(task) }
        guard let resumed = task.firstResumed, task.phase != .ended,
            let configuration = try? store.configuration(task.configuration)
        else { return }
        alarm.consider(resumed.addingTimeInterval(configuration.timeoutForResource))
        if task.phase == .queued, let date = task.earliestBeginDate, date > Date() { alarm.consider(date) }
    }

    private func start(_ task: TaskRecord, _ plan: AttemptPlan) {
        guard let configuration = try? store.configuration(task.configuration) else { return }
        lastTransfer += 1
        let transfer = TransferID(rawValue: lastTransfer)
        live[task.key]?.transfer = transfer
        live[task.key]?.plan = plan
        keys[transfer] = task.key
        let request = AttemptRequest.make(task, configuration, plan: plan, sink: bodies.path(task))
        turn.afterCommit {
            [engine] in
            engine.start(transfer, request)
        } failed: { [weak self] _ in
            // What is not written down has not begun: it is queued, as the disk says.
            self?.keys[transfer] = nil
            self?.live[task.key] = nil
            self?.admission.release(lane: task.lane)
        }
    }

    /// Gives the lane's free connections to those who wait longest.
    private func admit(lane: String) throws(StoreError) {
        while let task = try store.nextQueued(lane: lane, now: Date()) {
            let limit = try store.configuration(task.configuration).maximumConnectionsPerHost
            guard admission.mayStart(lane: lane, limit: limit) else { return }
            admission.take(lane: lane)
            bodies.cutToTrusted(task)
            var machine = TransferMachine(task)
            machine.noteBoot(boot)
            live[task.key] = Live(machine: machine)
            try perform(.admitted, key: task.key)
        }
    }

    private func release(_ task: TaskRecord) {
        live[task.key] = nil
        admission.release(lane: task.lane)
        let lanes = admission.starvedLanes().union([task.lane])
        // Behind this turn's other news, so that one task's end does not nest inside another's.
        TransferActor.enqueue { [weak self] in
            for lane in lanes {
                do {
                    try self?.admit(lane: lane)
                } catch {
                    ServiceLog.note("could not admit the next transfer: \(error)")
                }
            }
        }
    }

    private func retry(_ key: Int64, after seconds: Double) {
        let generation = retryGenerations[key, default: 0] + 1
        retryGenerations[key] = generation
        TransferActor.queue.asyncAfter(deadline: .now() + seconds) { [weak self] in
            TransferActor.assumeIsolated {
                guard let self, self.retryGenerations[key] == generation else { return }
                self.retryGenerations[key] = nil
                do {
                    try self.perform(.retryDue, key: key)
                } catch {
                    ServiceLog.note("could not try task \(key) again: \(error)")
                }
            }
        }
    }

    private func ended(_ task: TaskRecord) {
        retryGenerations[task.key] = nil
        let replies = cancelReplies.removeValue(forKey: task.key) ?? []
        turn.afterCommit { [weak self] in
            for reply in replies { reply(task.error?.resumeData) }
            self?.removeOwnSource(task)
            self?.observer?.becameQuiet()
        }
        guard task.error == nil else { return }
        bodies.sync(task) { [weak self] length in
            guard let self else { return }
            try? self.turn.write { store throws(StoreError) in
                try store.saveProgress(key: task.key, syncedOffset: length, boot: self.boot)
            }
        }
    }

    /// A body given as data lives as long as its task; a file of the user's is never touched.
    private func removeOwnSource(_ task: TaskRecord) {
        if let path = task.request.bodyFile { unlink(path) }
    }

    // MARK: Dates and recovery

    private func datesCame() {
        do {
            let now = Date()
            for key in try store.tasksPastDeadline(now: now) { try perform(.deadlinePassed, key: key) }
            for lane in try store.lanesWithQueued(now: Date()) { try admit(lane: lane) }
            try armAlarm()
        } catch {
            ServiceLog.note("could not look at dates: \(error)")
        }
    }

    private func armAlarm() throws(StoreError) {
        if let date = try store.nextResourceDeadline() { alarm.consider(date) }
        if let date = try store.earliestBeginDate(after: Date()) { alarm.consider(date) }
    }

    /// A commit failed: memory may be ahead of the disk. Until the disk takes writes again, look now and then
    /// for tasks that it believes to run and that do not.
    func reconcileLater() {
        guard !isReconciling else { return }
        isReconciling = true
        TransferActor.queue.asyncAfter(deadline: .now() + Self.reconcileDelay) { [weak self] in
            TransferActor.assumeIsolated {
                guard let self else { return }
                self.isReconciling = false
                do {
                    try self.reconcile()
                } catch {
                    ServiceLog.note("the database still takes no writes: \(error)")
                    self.reconcileLater()
                }
            }
        }
    }

    private func reconcile() throws(StoreError) {
        for phase in [TaskRecord.Phase.running, .canceling, .waiting] {
            for key in try store.tasks(in: phase) where live[key] == nil && retryGenerations[key] == nil {
                try perform(.recovered, key: key)
            }
        }
        for lane in try store.lanesWithQueued(now: Date()) { try admit(lane: lane) }
    }

    /// Takes up everything an earlier service left. Called once, before anybody is served.
    func recover() throws(StoreError) {
        for phase in [TaskRecord.Phase.ended, .running, .canceling, .waiting] {
            for key in try store.tasks(in: phase) {
                guard let task = try store.task(key: key) else { continue }
                bodies.cutToTrusted(task)
                try perform(.recovered, key: key)
                CrashPoint.inRecovery.reached()
            }
        }
        for lane in try store.lanesWithQueued(now: Date()) { try admit(lane: lane) }
        try armAlarm()
    }
}
