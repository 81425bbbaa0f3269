// Events that wait for their owners. They go only when acknowledged, or with their task.
import TransferProtocol

extension TransferStore {
    /// Adds an event of a task. Events of one session come out in the order they went in.
    /// - Returns: the event's sequence, never given twice.
    @discardableResult
    public func post(task key: Int64, _ event: TaskEvent) throws(StoreError) -> Int64 {
        let attempt = "post an event of task \(key)"
        let changed = try database.run(
            attempt,
            "INSERT INTO outbox (session, task, json) SELECT session, key, ? FROM task WHERE key = ?",
            [try StoreCoding.encode(event, attempt, path: database.path), .integer(key)])
        try require(changed, attempt, key: key)
        return database.lastInsertedRow
    }

    /// A session's waiting events, oldest first, from behind `sequence` on. Fewer than `limit` does not mean
    /// that there are no more; none does.
    /// - Parameter limit: 1 to 10,000; other values are taken for the nearest of these.
    public func outbox(
        session: Int64, after sequence: Int64 = 0, limit: Int
    ) throws(StoreError) -> [OutboxEntry] {
        var from = sequence
        while true {
            let (entries, last) = try readableEntries(
                "list events of session \(session)",
                "WHERE session = ? AND sequence > ? ORDER BY sequence LIMIT ?",
                [.integer(session), .integer(from), SQLValue(Self.allowed(limit))])
            guard entries.isEmpty, let last else { return entries }
            from = last
        }
    }

    /// Takes back everything that was posted of a task and not yet dealt with.
    public func retractEvents(task key: Int64) throws(StoreError) {
        try database.run(
            "retract the events of task \(key)", "DELETE FROM outbox WHERE task = ?", [.integer(key)])
    }

    /// What waits to be heard of one task, oldest first.
    public func events(task key: Int64) throws(StoreError) -> [TaskEvent] {
        try readableEntries(
            "list the events of task \(key)", "WHERE task = ? ORDER BY sequence", [.integer(key)]
        ).entries.map(\.event)
    }

    public func entry(_ sequence: Int64) throws(StoreError) -> OutboxEntry? {
        try readableEntries(
            "find event \(sequence)", "WHERE sequence = ?", [.integer(sequence)]
        ).entries.first
    }

    /// Removes an event that its owner has dealt with.
    /// - Returns: its task's key; nil when there was no such event any more.
    @discardableResult
    public func acknowledge(_ sequence: Int64) throws(StoreError) -> Int64? {
        try database.rows(
            "acknowledge event \(sequence)", "DELETE FROM outbox WHERE sequence = ? RETURNING task",
            [.integer(sequence)]
        ) { $0.integer(0) }.first
    }

    /// How many tasks of the session have events that wait.
    public func tasksWithWaitingEvents(session: Int64) throws(StoreError) -> Int {
        // The first event of each task is counted; DISTINCT would build a table of them.
        Int(
            try database.integer(
                "count the tasks with events of session \(session)",
                """
                SELECT count(*) FROM outbox AS event WHERE session = ? AND NOT EXISTS (
                    SELECT 1 FROM outbox WHERE task = event.task AND sequence < event.sequence)
                """, [.integer(session)]))
    }

    public func hasEvents(task key: Int64) throws(StoreError) -> Bool {
        try database.integer(
            "look for events of task \(key)", "SELECT EXISTS (SELECT 1 FROM outbox WHERE task = ?)",
            [.integer(key)]) != 0
    }

    private func readableEntries(
        _ attempt: String, _ condition: String, _ values: [SQLValue]
    ) throws(StoreError) -> (entries: [OutboxEntry], last: Int64?) {
        let rows = try database.rows(
            attempt, "SELECT sequence, task, json FROM outbox \(condition)", values
        ) { ($0.integer(0), $0.integer(1), StoreCoding.decode(TaskEvent.self, $0.data(2))) }
        var entries: [OutboxEntry] = []
        for (sequence, task, event) in rows {
            switch event {
            case .success(let event):
                entries.append(OutboxEntry(sequence: sequence, task: task, event: event))
            case .failure(let error):
                try quarantine(
                    QuarantinedRow(origin: .outbox, key: sequence, task: task, reason: error.reason))
            }
        }
        return (entries, rows.last?.0)
    }
}
