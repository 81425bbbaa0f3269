// The admin.* calls: looking, and clearing away what nobody claims. They never claim a session.
import Foundation
import TransferProtocol
import TransferStore

@TransferActor
struct AdminHandlers {
    let store: TransferStore
    let scheduler: Scheduler
    let ownership: Ownership
    let home: ServiceHome
    let started: Date
    let relauncher: Relauncher
    let countConnections: () -> Int

    func register(on router: Router) {
        router.on(AdminTasks.self, tasks)
        router.on(AdminSessions.self, sessions)
        router.on(AdminDiscard.self, discard)
        router.on(AdminService.self, service)
    }

    private func tasks(_ call: AdminTasks, _ connection: Connection, _ answer: Answer<ListTasks.Result>)
        throws
    {
        let sessions = try store.sessions().filter {
            (call.client ?? $0.client) == $0.client && (call.session ?? $0.identifier) == $0.identifier
        }
        let byID = Dictionary(uniqueKeysWithValues: sessions.map { ($0.id, $0) })
        let limit = max(1, min(call.limit, TaskHandlers.largestPage))
        if let description = call.description {
            return answer.succeed(try described(description, in: sessions, after: call.after, limit))
        }
        // One session is read from its index; several are read through and sifted.
        let only = sessions.count == 1 ? sessions.first?.id : nil
        var found: [TaskSnapshot] = []
        var after: Int64? = sessions.isEmpty ? nil : call.after
        while let from = after, found.count < limit {
            let wanted = limit - found.count
            let page = try store.tasks(session: only, after: from, limit: wanted)
            found += try page.tasks.compactMap { task in
                try byID[task.session].map { try snapshot(task, $0) }
            }
            after = page.next
            // A heavy page is one answer: more of them would be a line that nobody reads.
            if page.tasks.count < wanted { break }
        }
        answer.succeed(ListTasks.Result(tasks: found, next: after))
    }

    /// From an index: whoever asks about one name waits for no other tasks.
    private func described(
        _ description: String, in sessions: [SessionRecord], after: Int64, _ limit: Int
    ) throws -> ListTasks.Result {
        let found = try sessions.flatMap { session in
            try store.tasks(session: session.id, described: description)
                .filter { $0.key > after }.map { try snapshot($0, session) }
        }.sorted { $0.key < $1.key }
        let page = Array(found.prefix(limit))
        return ListTasks.Result(tasks: page, next: page.count < found.count ? page.last?.key : nil)
    }

    private func snapshot(_ task: TaskRecord, _ session: SessionRecord) throws -> TaskSnapshot {
        var snapshot = TaskSnapshot(scheduler.current(task), session: session)
        snapshot.conditions = TaskConditions(try store.configuration(task.configuration), task.request)
        return snapshot
    }

    private func sessions(
        _: AdminSessions, _ connection: Connection, _ answer: Answer<AdminSessions.Result>
    ) throws {
        let summaries = try store.sessions().map { session in
            let counts = try store.counts(session: session.id)
            var summary = SessionSummary(
                client: session.client, identifier: session.identifier,
                owner: ownership.owner(of: session.id)?.connection.peer, pending: counts.pending,
                undelivered: counts.undelivered)
            summary.wake = try relauncher.summary(session.id)
            return summary
        }
        answer.succeed(AdminSessions.Result(sessions: summaries))
    }

    private func discard(_ call: AdminDiscard, _ connection: Connection, _ answer: Answer<NoContent>) throws {
        guard let task = try store.task(key: call.key), task.phase == .ended || task.firstResumed == nil
        else {
            throw RPCError.refused(
                .noSuchTask, "no task that has ended, or was never resumed, has the key \(call.key)")
        }
        // Its delegate may have the file in its hands, and would never hear how the task ended.
        try ownership.requireUnowned(task.session)
        // What a leaving owner wrote last may have been about this very task.
        guard let task = try store.task(key: call.key) else { return answer.succeed(NoContent()) }
        try scheduler.discard(task)
        answer.succeed(NoContent())
    }

    private func service(
        _: AdminService, _ connection: Connection, _ answer: Answer<AdminService.Result>
    ) throws {
        let counts = try store.countsByPhase()
        answer.succeed(
            AdminService.Result(
                pid: getpid(), product: ProtocolVersion.product, home: home.folder, started: started,
                connections: countConnections(), running: scheduler.runningCount,
                queued: counts[.queued, default: 0], waiting: counts[.waiting, default: 0],
                undelivered: counts[.ended, default: 0]))
    }
}
