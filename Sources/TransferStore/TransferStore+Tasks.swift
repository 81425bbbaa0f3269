// Tasks: writing them, finding one, and pages of them.
import TransferProtocol

/// Some tasks in the order of their keys.
public struct TaskPage: Sendable, Equatable {
    public var tasks: [TaskRecord]
    /// Where the next page begins; nil after the last.
    public var next: Int64?

    public init(tasks: [TaskRecord], next: Int64?) {
        self.tasks = tasks
        self.next = next
    }
}

extension TransferStore {
    /// Adds a task and gives it its key. The session's next identifier rises above the task's.
    public func insert(_ task: inout TaskRecord) throws(StoreError) {
        let attempt = "insert task \(task.identifier) of session \(task.session)"
        let (changing, details) = try changingValues(task, attempt)
        // First: harmless if the insertion fails, while the other way round an identifier might come twice.
        try setNextTaskIdentifier(session: task.session, min(task.identifier, Int.max - 1) + 1)
        try database.run(
            attempt,
            """
            INSERT INTO task (session, configuration, identifier, token, body, phase, lane, priority, begin,
                deadline, received, sent, synced_offset, boot, json, description)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(task.session), .integer(task.configuration), SQLValue(task.identifier),
                .text(task.token), .text(task.body),
            ] + changing)
        task.key = database.lastInsertedRow
        recent.keep(task, details)
    }

    /// Writes a task as it is now. Its session, configuration,
    /// identifier, token and body are those of its insertion.
    public func save(_ task: TaskRecord) throws(StoreError) {
        let attempt = "save task \(task.key)"
        let (changing, details) = try changingValues(task, attempt)
        let changed = try database.run(
            attempt,
            """
            UPDATE task SET phase = ?, lane = ?, priority = ?, begin = ?, deadline = ?, received = ?, sent = ?,
                synced_offset = ?, boot = ?, json = ?, description = ?
            WHERE key = ?
            """, changing + [.integer(task.key)])
        try require(changed, attempt, key: task.key)
        recent.keep(task, details)
    }

    /// Writes a running task's counters alone. A counter that is nil stays as it was.
    public func saveProgress(
        key: Int64, syncedOffset: Int64, boot: String?, received: Int64? = nil, sent: Int64? = nil
    ) throws(StoreError) {
        let attempt = "save the progress of task \(key)"
        let changed = try database.run(
            attempt,
            """
            UPDATE task SET synced_offset = ?, boot = ?, received = coalesce(?, received),
                sent = coalesce(?, sent)
            WHERE key = ?
            """,
            [
                .integer(syncedOffset), SQLValue(boot), SQLValue(received), SQLValue(sent), .integer(key),
            ])
        try require(changed, attempt, key: key)
        recent.change(key: key) { task in
            task.syncedOffset = syncedOffset
            task.boot = boot
            task.received = received ?? task.received
            task.sent = sent ?? task.sent
        }
    }

    /// Removes a task and its events; nothing happens when there is none.
    public func remove(task key: Int64) throws(StoreError) {
        recent.forget(key: key)
        try database.run("remove task \(key)", "DELETE FROM task WHERE key = ?", [.integer(key)])
    }

    public func task(key: Int64) throws(StoreError) -> TaskRecord? {
        if let known = recent.task(key: key) { return known }
        return try kept(readable("find task \(key)", "WHERE key = ?", [.integer(key)]).tasks.first)
    }

    public func task(session: Int64, identifier: Int) throws(StoreError) -> TaskRecord? {
        if let known = recent.task(session: session, identifier: identifier) { return known }
        return try kept(
            readable(
                "find task \(identifier) of session \(session)", "WHERE session = ? AND identifier = ?",
                [.integer(session), SQLValue(identifier)]
            ).tasks.first)
    }

    private func kept(_ task: TaskRecord?) -> TaskRecord? {
        if let task { recent.keep(task) }
        return task
    }

    /// The task a client made with this token, if the message that made it has come before.
    public func task(session: Int64, token: String) throws(StoreError) -> TaskRecord? {
        try readable(
            "find a task of session \(session) by its token", "WHERE session = ? AND token = ?",
            [.integer(session), .text(token)]
        ).tasks.first
    }

    /// The tasks of a session that have not ended and whose answer goes into a pipe.
    public func tasksWithPipe(session: Int64) throws(StoreError) -> [TaskRecord] {
        try readable(
            "find the tasks of session \(session) with a pipe",
            """
            INDEXED BY task_with_pipe WHERE session = ? AND instr(json, '"pipe":"') > 0 AND phase <> 'ended'
            """, [.integer(session)]
        ).tasks.filter { $0.pipe != nil }.sorted { $0.key < $1.key }
    }

    /// The tasks of a session that bear this description, in the order of their keys.
    public func tasks(session: Int64, described description: String) throws(StoreError) -> [TaskRecord] {
        try readable(
            "find the tasks of session \(session) by a description",
            "WHERE session = ? AND description = ? ORDER BY key", [.integer(session), .text(description)]
        ).tasks
    }

    /// Whether a task or resume data refers to a body file.
    public func refers(toBody body: String) throws(StoreError) -> Bool {
        try database.integer(
            "look for the body \(body)",
            """
            SELECT EXISTS (SELECT 1 FROM task WHERE body = ?) OR EXISTS (SELECT 1 FROM partial WHERE file = ?)
            """, [.text(body), .text(body)]) != 0
    }

    /// One page of the tasks of a session, or of all (nil), in the order of their keys.
    /// - Parameters:
    ///   - limit: 1 to 10,000; other values are taken for the nearest of these.
    ///   - bytes: of records, about; a page that is heavier ends early. A page travels as one line, and whoever
    ///     reads it reads lines of bounded length.
    public func tasks(
        session: Int64?, after key: Int64 = 0, limit: Int, bytes: Int = 4 << 20
    ) throws(StoreError) -> TaskPage {
        let limit = Self.allowed(limit)
        // One more than asked for tells whether there is another page.
        let (found, keys, isCut) =
            if let session {
                try readable(
                    "list tasks of session \(session)", "WHERE session = ? AND key > ? ORDER BY key LIMIT ?",
                    [.integer(session), .integer(key), SQLValue(limit + 1)], bytes: bytes)
            } else {
                try readable(
                    "list tasks", "WHERE key > ? ORDER BY key LIMIT ?", [.integer(key), SQLValue(limit + 1)],
                    bytes: bytes)
            }
        if keys.count > limit {
            return TaskPage(tasks: found.filter { $0.key <= keys[limit - 1] }, next: keys[limit - 1])
        }
        return TaskPage(tasks: found, next: isCut ? keys.last : nil)
    }

    /// The tasks a query finds and can read, and the keys of all it found. The others go to quarantine. It ends
    /// with the record that makes it weigh so many bytes.
    func readable(
        _ attempt: String, _ condition: String, _ values: [SQLValue], bytes: Int = .max
    ) throws(StoreError) -> (tasks: [TaskRecord], keys: [Int64], isCut: Bool) {
        var left = bytes
        let rows = try database.rows(
            attempt, "SELECT \(TaskRow.columns) FROM task \(condition)", values,
            until: { row in
                left -= row.bytes
                return left <= 0
            }, read: TaskRow.init)
        var tasks: [TaskRecord] = []
        for row in rows {
            switch row.task {
            case .success(let task): tasks.append(task)
            case .failure(let error):
                try quarantine(
                    QuarantinedRow(origin: .task, key: row.key, task: row.key, reason: error.reason))
            }
        }
        return (tasks, rows.map(\.key), left <= 0)
    }

    /// Limits come from clients: a page is never empty and never unbounded.
    static func allowed(_ limit: Int) -> Int { min(max(limit, 1), 10_000) }

    func require(_ changed: Int, _ attempt: String, key: Int64) throws(StoreError) {
        if changed == 0 {
            recent.forget(key: key)
            throw StoreError(.missing, attempt, message: "no such task", path: database.path)
        }
    }

    private func changingValues(
        _ task: TaskRecord, _ attempt: String
    ) throws(StoreError) -> (values: [SQLValue], details: EncodedDetails) {
        let details = try EncodedDetails(
            task, reusing: recent.details(key: task.key), attempt, path: database.path)
        let values = task.changingValues(
            resourceTimeout: try configuration(task.configuration).timeoutForResource, json: details.column)
        return (values, details)
    }
}
