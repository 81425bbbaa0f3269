// From the outbox to owners: events in order, at least once until acknowledged; counters as the newest
// value only. Nothing here decides what an event is.
import Foundation
import TransferProtocol
import TransferStore

@TransferActor
final class Delivery: SchedulerObserver {
    private let store: TransferStore
    private let turn: Turn
    private let scheduler: Scheduler
    private let bodies: BodyFolder
    private let ownership: Ownership
    /// Acknowledgements that could not be written, each with its task.
    private var unsettled: [(AcknowledgeEvent, Owner, task: Int64)] = []
    /// Seconds until a file that could not be handed over is tried again.
    private static let patience = 2.0
    /// Seconds for which changes of tasks are gathered: of one that is over by then nothing is left to say.
    private static let reportDelay = 0.03
    var whenQuiet: () -> Void = {}
    /// Events came into the outbox of a session that nobody owns, or one of its tasks has a question.
    var whenUnheard: (_ session: Int64) -> Void = { _ in }
    /// An owner has dealt with all events of its session up to one.
    var whenDealtWith: (_ newest: Int64, _ session: Int64) -> Void = { _, _ in }

    init(scheduler: Scheduler, ownership: Ownership) {
        self.scheduler = scheduler
        self.ownership = ownership
        store = scheduler.store
        turn = scheduler.turn
        bodies = scheduler.bodies
    }

    // MARK: Owners come and go

    /// Starts giving the owner what waits for it.
    func begin(_ owner: Owner) {
        owner.connection.whenDrained = { [weak self, weak owner] in
            guard let owner else { return }
            self?.sendProgress(owner)
        }
        pump(owner)
        askAll(owner)
        do throws(StoreError) {
            try scheduler.askOnceMore(session: owner.session.id)
        } catch {
            ServiceLog.note("could not ask the owner of session \(owner.session.identifier): \(error)")
        }
    }

    /// How many tasks of the session have something to say to an owner: events, or a question.
    func waitingTasks(session: Int64) throws(StoreError) -> Int {
        try store.tasksWithWaitingEvents(session: session) + scheduler.questions(session: session).count
    }

    // MARK: Questions

    func questionAsked(_ task: TaskRecord) {
        guard let owner = ownership.owner(of: task.session) else { return whenUnheard(task.session) }
        askAll(owner, only: task.key)
    }

    /// The owner has said its word about a task.
    func questionAnswered(by owner: Owner) {
        turn.afterCommit { [weak self] in self?.pump(owner) }
    }

    private func askAll(_ owner: Owner, only key: Int64? = nil) {
        guard owner.purpose == .own else { return }
        do throws(StoreError) {
            for (task, number, question) in try scheduler.questions(session: owner.session.id)
            where key == nil || task.key == key {
                owner.connection.notify(
                    AskOwner(
                        number: number, question: question, task: TaskSnapshot(task, session: owner.session)))
            }
        } catch {
            ServiceLog.note("could not ask the owner of session \(owner.session.identifier): \(error)")
        }
    }

    /// Ends the tasks of a session whose answers are read as they come, where the reader has left.
    func endReaderless(session: Int64) throws(StoreError) { try scheduler.endReaderless(session: session) }

    /// As above, when the owner's connection has ended. What cannot be written now is seen to when the next
    /// owner comes.
    func ownerLeft(_ owner: Owner) {
        do throws(StoreError) {
            for key in owner.asked { try scheduler.begin(key: key, request: nil) }
            try scheduler.ownerLeft(session: owner.session.id)
        } catch {
            ServiceLog.note(
                "could not go on without the owner of session \(owner.session.identifier): \(error)")
        }
    }

    // MARK: Events

    func eventsPosted(session: Int64) {
        guard let owner = ownership.owner(of: session) else { return whenUnheard(session) }
        pump(owner)
    }

    func lookAgain() {
        settleAgain()
        for owner in ownership.all { pump(owner) }
    }

    private func pump(_ owner: Owner) {
        guard owner.purpose == .own else { return }
        do {
            while owner.connection.isOpen, owner.unacknowledged.count < Owner.window {
                let room = Owner.window - owner.unacknowledged.count
                let entries = try store.outbox(session: owner.session.id, after: owner.cursor, limit: room)
                // An event that cannot be read is repeated first: those behind it may be void.
                guard store.quarantined.isEmpty else { return }
                if entries.isEmpty { break }
                for entry in entries {
                    guard owner.connection.isOpen, try send(entry, to: owner) else { return }
                }
            }
            guard owner.connection.isOpen, owner.unacknowledged.isEmpty else { return }
            if owner.cursor > owner.settledCursor {
                owner.settledCursor = owner.cursor
                whenDealtWith(owner.cursor, owner.session.id)
            }
            if owner.hasEventsToFinish, try scheduler.questions(session: owner.session.id).isEmpty {
                owner.hasEventsToFinish = false
                owner.connection.notify(EventsFinished())
            }
        } catch {
            ServiceLog.note("could not deliver events of session \(owner.session.identifier): \(error)")
        }
    }

    /// False when it cannot be sent now, and so none of those behind it.
    private func send(_ entry: OutboxEntry, to owner: Owner) throws(StoreError) -> Bool {
        guard let task = try store.task(key: entry.task) else {
            owner.cursor = entry.sequence
            return true
        }
        var event = entry.event
        switch entry.event {
        case .downloaded(_, let bytes), .answered(_, let bytes):
            switch try handOver(task, to: owner) {
            case .link(let path):
                event =
                    task.kind == .download
                    ? .downloaded(path: path, bytes: bytes) : .answered(path: path, bytes: bytes)
            case .wasTaken:
                try settle(entry.sequence)
                owner.cursor = entry.sequence
                return true
            case .gone:
                guard task.kind == .download, task.received > 0 else {
                    // The end is all there is to tell.
                    try settle(entry.sequence)
                    owner.cursor = entry.sequence
                    return true
                }
                // Fetched again, and its events are void.
                try scheduler.perform(.recovered(isChangedByOwner: false), key: task.key)
                turn.afterCommit { [weak self] in self?.pump(owner) }
                return false
            case .notNow:
                lookAgainLater(owner)
                return false
            }
        case .resumed, .completed:
            break
        }
        owner.cursor = entry.sequence
        owner.unacknowledged[entry.sequence] = entry.task
        var snapshot = TaskSnapshot(scheduler.current(task), session: owner.session)
        if case .completed = event { snapshot.metrics = task.metrics }
        let answer = snapshot.response
        // It came with the one before, on this very connection.
        if owner.toldAnswers[task.key] == answer { snapshot.response = nil }
        owner.toldAnswers[task.key] = answer
        if case .completed = event { owner.toldAnswers[task.key] = nil }
        let note = DeliverEvent(sequence: entry.sequence, event: event, task: snapshot)
        turn.afterCommit {
            owner.connection.notify(note)
        } failed: { _ in
            owner.takeBack(entry.sequence)
            owner.toldAnswers[entry.task] = nil
        }
        return true
    }

    private enum HandOver {
        case link(String)
        /// An earlier owner took the file and changed it, and so has had it.
        case wasTaken
        /// There is no body file any more.
        case gone
        /// The disk does not allow it; an event without its file would be acknowledged, and the file be lost.
        case notNow
    }

    private func handOver(_ task: TaskRecord, to owner: Owner) throws(StoreError) -> HandOver {
        if bodies.isChangedByOwner(task) { return .wasTaken }
        guard let now = bodies.fingerprint(task) else { return .gone }
        let path: String
        do throws(SystemCallError) {
            path = try bodies.handOver(task, client: owner.session.client)
        } catch {
            if !owner.hasComplained { ServiceLog.note("\(error); it is tried again") }
            owner.hasComplained = true
            return .notNow
        }
        owner.hasComplained = false
        if task.handedOver == nil { try scheduler.noteHandedOver(now, task: task) }
        CrashPoint.betweenLinkAndAcknowledgement.reached()
        return .link(path)
    }

    private func lookAgainLater(_ owner: Owner) {
        guard !owner.looksAgain else { return }
        owner.looksAgain = true
        scheduler.time.ring(after: Self.patience) { [weak self] in
            owner.looksAgain = false
            self?.pump(owner)
        }
    }

    /// The owner's delegate has returned; or, withheld, it wants the event again in its next life.
    func acknowledge(_ acknowledgement: AcknowledgeEvent, by owner: Owner) {
        guard let key = owner.unacknowledged.removeValue(forKey: acknowledgement.sequence) else { return }
        let isLast = !owner.unacknowledged.values.contains(key)
        do throws(StoreError) {
            let task = try store.task(key: key)
            if acknowledgement.withheld != true {
                try settle(acknowledgement.sequence)
                let isOver = try !store.hasEvents(task: key)
                if let task, task.phase == .ended, isOver { try scheduler.forget(task) }
            }
            turn.afterCommit { [weak self] in
                if let task, isLast { self?.bodies.takeBackHandOver(task, client: owner.session.client) }
                self?.pump(owner)
            } failed: { [weak self] _ in
                self?.unsettled.append((acknowledgement, owner, key))
            }
        } catch {
            if error.kind != .missing { unsettled.append((acknowledgement, owner, key)) }
            scheduler.couldNot("write down what was acknowledged", error)
        }
    }

    private func settle(_ sequence: Int64) throws(StoreError) {
        try turn.write { store throws(StoreError) in _ = try store.acknowledge(sequence) }
    }

    /// Nobody says an acknowledgement twice: those that did not reach the disk are written when it takes writes
    /// again.
    private func settleAgain() {
        let again = unsettled
        unsettled = []
        for (acknowledgement, owner, key) in again {
            owner.unacknowledged[acknowledgement.sequence] = key
            acknowledge(acknowledgement, by: owner)
        }
    }

    // MARK: News that is not kept

    func taskChanged(_ task: TaskRecord) {
        guard let owner = ownership.owner(of: task.session), owner.purpose == .own else { return }
        // Who reads a pipe waits for the answer's head.
        guard task.pipe == nil else {
            return owner.connection.notify(
                ReportTask(task: TaskSnapshot(scheduler.current(task), session: owner.session)))
        }
        owner.staleTasks[task.key] = task
        guard owner.staleTasks.count == 1 else { return }
        TransferActor.queue.asyncAfter(deadline: .now() + Self.reportDelay) { [weak self] in
            TransferActor.assumeIsolated { self?.reportTasks(to: owner) }
        }
    }

    /// What has ended meanwhile is told by its events.
    private func reportTasks(to owner: Owner) {
        let changed = owner.staleTasks.values.map(scheduler.current)
        owner.staleTasks = [:]
        for task in changed.sorted(by: { $0.key < $1.key }) where !scheduler.hasEnded(task.key) {
            owner.connection.notify(ReportTask(task: TaskSnapshot(task, session: owner.session)))
        }
    }

    func tasksMoved(_ tasks: [TaskRecord]) {
        for task in tasks {
            guard let owner = ownership.owner(of: task.session) else { continue }
            owner.staleProgress.insert(task.key)
        }
        for owner in ownership.all where !owner.staleProgress.isEmpty { sendProgress(owner) }
    }

    private func sendProgress(_ owner: Owner) {
        guard !owner.staleProgress.isEmpty, owner.connection.isDrained else { return }
        let notes = owner.staleProgress.compactMap { scheduler.liveTask($0) }.map(ProgressNote.init)
        owner.staleProgress = []
        if !notes.isEmpty {
            owner.connection.notify(ReportProgress(tasks: notes.sorted { $0.identifier < $1.identifier }))
        }
    }

    func mayAsk(about task: TaskRecord) -> Bool {
        guard let owner = ownership.owner(of: task.session) else { return false }
        return owner.purpose == .own && owner.asksToBegin && owner.connection.isOpen
    }

    func ask(about task: TaskRecord) {
        if let owner = ownership.owner(of: task.session), mayAsk(about: task) {
            owner.asked.insert(task.key)
            owner.connection.notify(AskToBegin(identifier: task.identifier))
            return
        }
        // It left before the question was on its way.
        do throws(StoreError) {
            try scheduler.begin(key: task.key, request: nil)
        } catch {
            scheduler.couldNot("begin task \(task.key)", error)
        }
    }

    func becameQuiet() { whenQuiet() }
}
