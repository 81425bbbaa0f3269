// Carries out what the transfer machines decide: writes, engine, timers, admission. The only place that
// holds running tasks in memory; everything that waits stays in the store.
import Foundation
import HTTPEngine
import TransferProtocol
import TransferStore

@TransferActor
final class Scheduler {
    let store: TransferStore
    let turn: Turn
    let bodies: BodyFolder
    weak var observer: (any SchedulerObserver)?
    let engine: any TransferEngine
    var dialogues = Dialogues()
    /// Tasks whose owners are to be asked once more whether they begin, and have not come yet.
    var awaitOwners: Set<Int64> = []
    let boot: String
    let time: any TimeSource
    var clockSteps: ClockSteps
    let gate: ConditionGate

    var live: LiveTasks
    private var lastTransfer: UInt64 = 0
    /// Which of a task's back-off timers counts; an older one that fires is ignored. Numbers are never given
    /// twice.
    var retryTimers: [Int64: Int] = [:]
    private var lastTimer = 0
    private lazy var lateSync = LateSync(bodies) { [weak self] in self?.noteSynced($0, $1) }
    private var cancelReplies = CancelReplies()
    lazy var alarm = DateAlarm(time) { [weak self] in self?.datesCame() }

    /// News of this turn. The engine says everything once: if the commit fails, it is taken again.
    var news: [News] = []
    /// News whose turn has failed, and what came behind it.
    var unwritten: [News] = []
    /// Seconds until a disk that took no writes is tried again.
    let reconcileDelay: Double
    var isReconciling = false
    var isFailing = false
    var partialBudget = PartialBudget()
    /// Sessions whose readers are looked at again.
    var watchedReaders: Set<Int64> = []
    /// Ended tasks are looked at once a life; the others whenever memory may have lost sight of them.
    var hasTakenUpEnded = false

    typealias News = (key: Int64, input: TransferInput)

    init(
        store: TransferStore, turn: Turn, bodies: BodyFolder, boot: String, engine: any TransferEngine,
        reconcileDelay: Double = 2, connections: Int = Admission.totalLimit,
        time: any TimeSource = SystemTime(),
        conditions: any ConditionSource = LinuxConditions()
    ) {
        self.store = store
        self.turn = turn
        self.bodies = bodies
        self.boot = boot
        self.engine = engine
        live = LiveTasks(limit: connections)
        self.reconcileDelay = reconcileDelay
        self.time = time
        clockSteps = ClockSteps(date: time.date, seconds: time.seconds)
        gate = ConditionGate(conditions, time)
        turn.whenCommitted = { [weak self] in self?.settle() }
        turn.whenFailed = { [weak self] in self?.undo($0) }
        gate.whenLooked = { [weak self] in self?.conditionsWereSeen() }
        store.whenQuarantined = { [weak self] in TransferActor.enqueue { self?.lookAtQuarantine() } }
    }

    // MARK: Questions

    /// The task as it is now: memory knows more of a running one than the disk.
    func current(_ task: TaskRecord) -> TaskRecord { live[task.key]?.machine.task ?? task }

    /// A running task, or nil.
    func liveTask(_ key: Int64) -> TaskRecord? { live[key]?.machine.task }

    /// Also when it is not there any more.
    func hasEnded(_ key: Int64) -> Bool {
        guard live[key] == nil, let task = try? store.task(key: key) else { return live[key] == nil }
        return task.phase == .ended
    }

    var runningCount: Int { live.count }

    /// Nothing runs, waits to retry, or waits for a date. A suspended task does none of these, also when it
    /// still has a connection: it goes on from its bytes in the next service.
    func isQuiet() -> Bool {
        guard live.movingCount == 0, unwritten.isEmpty else { return false }
        // When in doubt it stays.
        return [.queued, .waiting].allSatisfy { (try? store.hasTasks(in: $0)) == false }
    }

    // MARK: Wishes

    func create(_ task: TaskRecord) throws(StoreError) {
        var task = task
        try turn.write { store throws(StoreError) in try store.insert(&task) }
    }

    func update(_ update: UpdateTask, key: Int64) throws(StoreError) {
        guard var machine = try machine(key) else { return }
        machine.apply(update)
        keep(machine)
        try turn.write { store throws(StoreError) in try store.save(machine.task) }
        settleIfNothingIsWritten()
        if let date = update.earliestBeginDate { alarm.consider(date) }
        try admit(lane: machine.task.lane)
    }

    func perform(_ input: TransferInput, key: Int64) throws(StoreError) {
        let now = currentDate()
        guard var machine = try machine(key) else { return }
        let hadEnded = machine.task.phase == .ended
        let actions = machine.handle(
            input, bodyLength: bodies.trustedLength(machine.task), now: now,
            chance: Double.random(in: 0..<1),
            keptPath: bodies.partials.path(machine.task, isLeaving: leavesPartial(machine.task)))
        keep(machine)
        try carryOut(actions, machine.task)
        if machine.task.phase == .ended || machine.task.phase == .suspended { gate.forget(key) }
        if machine.task.phase == .ended, !hadEnded { ended(machine.task) }
        settleIfNothingIsWritten()
    }

    /// Cancels and answers with resume data, or nil, once the task has ended.
    func cancel(key: Int64, keeping: Bool, reply: @escaping CancelReplies.Reply) throws(StoreError) {
        guard let machine = try machine(key) else { return reply(.success(nil)) }
        if machine.task.phase == .ended { return reply(.success(machine.task.error?.resumeData)) }
        let number = cancelReplies.add(reply, task: key)
        do {
            try perform(.cancel(keeping: keeping, reason: nil), key: key)
        } catch {
            _ = cancelReplies.take(number, task: key)
            throw error
        }
        turn.afterCommit {
        } failed: { [weak self] error in
            self?.cancelReplies.take(number, task: key)?(.failure(error))
        }
    }

    /// Removes an ended task with everything of it that nobody refers to any more.
    func forget(_ task: TaskRecord) throws(StoreError) {
        lateSync.forget(task.key)
        try turn.write { store throws(StoreError) in try store.remove(task: task.key) }
        turn.afterCommit { [weak self] in
            // After an error the body is gone already, or belongs to resume data.
            if task.error == nil { self?.bodies.remove(task) }
            self?.removeOwnSource(task)
        }
    }

    /// As above, when no owner has taken leave of it: a link may be left, too.
    func discard(_ task: TaskRecord) throws(StoreError) {
        let session = try store.session(id: task.session)
        try forget(task)
        turn.afterCommit { [bodies] in
            if let session { bodies.takeBackHandOver(task, client: session.client) }
        }
    }

    /// The task is about to be resumed during a wake.
    func hold(key: Int64, until date: Date?) throws(StoreError) {
        guard var machine = try machine(key) else { return }
        machine.hold(until: date)
        keep(machine)
        try turn.write { store throws(StoreError) in try store.save(machine.task) }
        settleIfNothingIsWritten()
    }

    /// What wakes held back in that session may begin.
    func releaseHeld(session: Int64) throws(StoreError) {
        for key in try store.heldTasks(session: session) { try releaseHeld(key: key) }
    }

    /// The person has come, or resumes it.
    func releaseHeld(key: Int64) throws(StoreError) {
        guard var machine = try machine(key), machine.task.heldUntil != nil else { return }
        machine.release()
        keep(machine)
        try turn.write { store throws(StoreError) in try store.save(machine.task) }
        try admit(lane: machine.task.lane)
        settleIfNothingIsWritten()
    }

    func noteHandedOver(_ file: HandedOverFile, task: TaskRecord) throws(StoreError) {
        var machine = TransferMachine(task)
        machine.noteHandedOver(file)
        try turn.write { store throws(StoreError) in try store.save(machine.task) }
    }

    // MARK: The engine's news

    func take(_ report: EngineReport) {
        switch report {
        case .head(let transfer, let head, _):
            guard let key = live.key(of: transfer), let live = live[key] else { return }
            let response = ResponseRecord(head)
            let verdict = ResumePolicy.judge(
                response, plan: live.plan, held: live.machine.task.held, own: live.own,
                asks: live.asks, hasBody: head.hasBody)
            take(news: (key, .answered(response, verdict)))
        case .progress(let notes):
            let moved = notes.compactMap { live.count($0) }
            if !moved.isEmpty { observer?.tasksMoved(moved) }
        case .synced(let transfer, let offset):
            guard let key = live.key(of: transfer) else { return }
            synced(key, offset)
        case .ended(let transfer, let outcome):
            guard let key = live.key(of: transfer), let task = live[key]?.machine.task else { return }
            // What went through a pipe nobody could measure later.
            _ = live.count(
                TransferProgress(
                    id: transfer, bodyLength: outcome.bodyLength, expected: nil, sent: outcome.sent,
                    sendingTotal: 0))
            live[key]?.transfer = nil
            if case .failure(let failure) = outcome.result, failure.kind == .bodyFileNoSpace {
                bodies.giveWay(task)
            }
            logEnd(of: task, outcome)
            let end = asks(task, outcome) ?? FailurePolicy.sort(outcome, url: task.request.url)
            take(
                news: (
                    key,
                    .attemptEnded(
                        end, sent: outcome.sent, transactions: TransactionRecord.records(of: outcome))
                ))
        }
    }

    private func asks(_ task: TaskRecord, _ outcome: EngineOutcome) -> AttemptEnd? {
        guard let configuration = try? store.configuration(task.configuration) else { return nil }
        return dialogues.consider(task, configuration, outcome, used: live[task.key]?.credential)
    }

    func take(news item: News) {
        // Not before what is older.
        guard unwritten.isEmpty else { return unwritten.append(item) }
        news.append(item)
        do {
            try perform(item.input, key: item.key)
        } catch {
            // Otherwise the turn has failed or will, and the news comes again.
            if error.kind == .missing { drop(item.key, error) }
        }
    }

    /// Its row is gone, by a person's hand or into quarantine: nobody will ever ask for it.
    private func drop(_ key: Int64, _ error: StoreError) {
        ServiceLog.note("task \(key) is given up: \(error)")
        guard let task = live[key] else { return }
        if let transfer = task.transfer { engine.cancel(transfer) }
        release(task.machine.task)
        settleIfNothingIsWritten()
    }

    private func synced(_ key: Int64, _ offset: Int64) {
        do {
            live[key]?.machine.noteSynced(offset: offset, boot: boot)
            try turn.write { store throws(StoreError) in
                try store.saveProgress(key: key, syncedOffset: offset, boot: boot)
            }
        } catch {
            // The next one says the same and more.
            if error.kind == .missing { drop(key, error) }
        }
    }

    private func logEnd(of task: TaskRecord, _ outcome: EngineOutcome) {
        guard case .failure(let failure) = outcome.result, failure.kind != .cancelled else { return }
        ServiceLog.note(
            "task \(task.key) \(ServiceLog.redacted(task.request.url)): attempt ended: \(failure.message)")
    }

    // MARK: Actions

    func machine(_ key: Int64) throws(StoreError) -> TransferMachine? {
        if let live = live[key] { return live.machine }
        return try store.task(key: key).map(TransferMachine.init)
    }

    func keep(_ machine: TransferMachine) {
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
                try start(task, plan)
            case .ask:
                turn.afterCommit { [weak self] in self?.observer?.questionAsked(task) }
            case .askToBegin:
                askOnceMore(task)
            case .pauseAttempt:
                if let transfer = live[task.key]?.transfer {
                    turn.afterCommit { [engine] in engine.pause(transfer) }
                }
                admitSoon([task.lane])
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
            case .dropBody:
                // A pipe is no body that could be dropped: somebody waits at its other end.
                if task.pipe == nil { bodies.remove(task) }
            case .keepBody where bodies.partials.keep(task, isLeaving: leavesPartial(task)):
                break
            case .keepBody:
                try turn.write { store throws(StoreError) in
                    try store.keepPartial(
                        PartialRecord(
                            token: task.token, session: task.session, file: task.body,
                            bytes: task.received, created: time.date, syncedOffset: task.syncedOffset,
                            boot: task.boot))
                }
                try expirePartials(now: time.date)
                try trimPartials()
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
    }

    /// Whether resume data of that task is to be good for something when this service is gone with its folder.
    private func leavesPartial(_ task: TaskRecord) -> Bool {
        (try? store.configuration(task.configuration).isEphemeral) != true
    }

    private func save(_ task: TaskRecord) throws(StoreError) {
        try turn.write { store throws(StoreError) in try store.save(task) }
        guard let resumed = task.firstResumed, task.phase != .ended,
            let configuration = try? store.configuration(task.configuration)
        else { return }
        alarm.consider(resumed.addingTimeInterval(configuration.timeoutForResource))
        if task.phase == .queued, let date = task.beginDate, date > time.date { alarm.consider(date) }
    }

    private func start(_ task: TaskRecord, _ plan: AttemptPlan) throws(StoreError) {
        let configuration = try store.configuration(task.configuration)
        lastTransfer += 1
        let transfer = TransferID(rawValue: lastTransfer)
        live[task.key]?.transfer = transfer
        live[task.key]?.plan = plan
        let extras = dialogues.extras(task, configuration)
        live[task.key]?.asks = extras.asks(task)
        live[task.key]?.credential = extras.credential
        live[task.key]?.own = OwnConditions(AttemptRequest.fields(task, configuration, extras))
        bodies.makeFolder()
        let request = AttemptRequest.make(
            task, configuration, plan: plan, sink: bodies.path(task), extras: extras,
            cookieJar: bodies.cookieJar(session: task.session))
        // What is not written down has not begun: then it is queued, as the disk says.
        turn.afterCommit { [engine] in engine.start(transfer, request) }
    }

    /// Gives the lane's free connections to those who wait longest.
    func admit(lane: String) throws(StoreError) {
        while let task = try store.nextQueued(lane: lane, now: time.date) {
            let configuration = try store.configuration(task.configuration)
            guard live.mayStart(lane: lane, limit: configuration.maximumConnectionsPerHost) else {
                if let key = live.nextToGiveWay { try perform(.giveWay, key: key) }
                return
            }
            if try isHeldBack(task, configuration) { continue }
            if try isAskedAbout(task) { continue }
            bodies.cutToTrusted(task)
            var machine = TransferMachine(task)
            machine.noteBoot(boot)
            live[task.key] = LiveTasks.Live(machine: machine)
            try perform(.admitted, key: task.key)
        }
    }

    private func release(_ task: TaskRecord) {
        live[task.key] = nil
        admitSoon(live.starvedLanes().union([task.lane]))
    }

    /// Behind this turn's other news, so that one task's end does not nest inside another's.
    private func admitSoon(_ lanes: Set<String>) {
        turn.beforeCommit { [weak self] in
            for lane in lanes {
                do throws(StoreError) {
                    try self?.admit(lane: lane)
                } catch {
                    self?.couldNot("admit the next transfer", error)
                }
            }
        }
    }

    private func retry(_ key: Int64, after seconds: Double) {
        lastTimer += 1
        let timer = lastTimer
        retryTimers[key] = timer
        time.ring(after: seconds) { [weak self] in
            guard let self, self.retryTimers[key] == timer else { return }
            self.retryTimers[key] = nil
            do throws(StoreError) {
                try self.perform(.retryDue, key: key)
            } catch {
                self.couldNot("try task \(key) again", error)
            }
        }
    }

    private func ended(_ task: TaskRecord) {
        retryTimers[task.key] = nil
        turn.afterCommit { [weak self] in
            guard let self else { return }
            self.dialogues.forget(task.key)
            self.cancelReplies.takeAll(task: task.key).forEach { $0(.success(task.error?.resumeData)) }
            self.removeOwnSource(task)
            if task.error == nil, task.pipe == nil { self.lateSync.add(task) }
            self.observer?.becameQuiet()
        }
    }

    private func noteSynced(_ task: TaskRecord, _ length: Int64) {
        // Not written: after a crash of the machine those bytes are fetched again.
        try? turn.write { store throws(StoreError) in
            try store.saveProgress(key: task.key, syncedOffset: length, boot: boot)
        }
    }

    /// A body given as data lives as long as its task; a file of the user's is never touched.
    private func removeOwnSource(_ task: TaskRecord) {
        if let path = task.request.bodyFile { unlink(path) }
        if let pipe = task.pipe { unlink(pipe) }
    }
}
