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
    var whenQuiet: () -> Void = {}

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
    }

    /// The owner is gone: links made for it that it did not take are removed.
    func end(_ owner: Owner) {
        for key in Set(owner.unacknowledged.values) {
            if let task = try? store.task(key: key) {
                bodies.takeBackHandOver(task, client: owner.session.client)
            }
        }
    }

    // MARK: Events

    func eventsPosted(session: Int64) {
        if let owner = ownership.owner(of: session) { pump(owner) }
    }

    private func pump(_ owner: Owner) {
        guard owner.purpose == .own, owner.connection.isOpen else { return }
        do {
            while owner.unacknowledged.count < Owner.window {
                let room = Owner.window - owner.unacknowledged.count
                let entries = try store.outbox(session: owner.session.id, after: owner.cursor, limit: room)
                if entries.isEmpty { break }
                for entry in entries { try send(entry, to: owner) }
            }
            if owner.hasEventsToFinish, owner.unacknowledged.isEmpty {
                owner.hasEventsToFinish = false
                owner.connection.notify(EventsFinished())
            }
        } catch {
            ServiceLog.note("could not deliver events of session \(owner.session.identifier): \(error)")
        }
    }

    private func send(_ entry: OutboxEntry, to owner: Owner) throws(StoreError) {
        owner.cursor = max(owner.cursor, entry.sequence)
        guard let task = try store.task(key: entry.task) else { return }
        var event = entry.event
        switch entry.event {
        case .downloaded(_, let bytes), .answered(_, let bytes):
            guard let path = try handOver(task, to: owner) else {
                return try settle(entry.sequence)
            }
            event =
                task.kind == .download
                ? .downloaded(path: path, bytes: bytes) : .answered(path: path, bytes: bytes)
        case .resumed, .completed:
            break
        }
        owner.unacknowledged[entry.sequence] = entry.task
        owner.connection.notify(
            DeliverEvent(
                sequence: entry.sequence, event: event,
                task: TaskSnapshot(scheduler.current(task), session: owner.session)))
    }

    /// The link for the owner; nil when an earlier owner took the file and changed it, and so has had it.
    private func handOver(_ task: TaskRecord, to owner: Owner) throws(StoreError) -> String? {
        let now = bodies.fingerprint(task)
        if let then = task.handedOver, then != now { return nil }
        let path: String
        do throws(SystemCallError) {
            path = try bodies.handOver(task, client: owner.session.client)
        } catch {
            // The event goes out all the same: the client finds no file and says so; the body is kept.
            ServiceLog.note("\(error)")
            return bodies.deliveryPath(task, client: owner.session.client)
        }
        if task.handedOver == nil, let now { try scheduler.noteHandedOver(now, task: task) }
        CrashPoint.betweenLinkAndAcknowledgement.reached()
        return path
    }

    /// The owner's delegate has returned; or, withheld, it wants the event again in its next life.
    func acknowledge(_ acknowledgement: AcknowledgeEvent, by owner: Owner) throws(StoreError) {
        guard let key = owner.unacknowledged.removeValue(forKey: acknowledgement.sequence) else { return }
        let task = try store.task(key: key)
        if let task, !owner.unacknowledged.values.contains(key) {
            bodies.takeBackHandOver(task, client: owner.session.client)
        }
        if acknowledgement.withheld != true {
            try settle(acknowledgement.sequence)
            let isOver = try !store.hasEvents(task: key)
            if let task, task.phase == .ended, isOver { try scheduler.forget(task) }
        }
        turn.afterCommit { [weak self] in self?.pump(owner) }
    }

    private func settle(_ sequence: Int64) throws(StoreError) {
        try turn.write { store throws(StoreError) in _ = try store.acknowledge(sequence) }
    }

    // MARK: News that is not kept

    func taskChanged(_ task: TaskRecord) {
        guard let owner = ownership.owner(of: task.session), owner.purpose == .own else { return }
        owner.connection.notify(
            ReportTask(task: TaskSnapshot(scheduler.current(task), session: owner.session)))
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

    func becameQuiet() { whenQuiet() }
}
