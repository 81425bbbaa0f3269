// Wakes of sessions, switches of clients, and the questions that decide whether somebody is to be woken.
import Foundation

extension TransferStore {
    /// Nil when there is none. One that cannot be read counts as none: only a spacing is forgotten by that.
    public func wake(session: Int64) throws(StoreError) -> WakeRecord? {
        try database.rows(
            "find the wakes of session \(session)", "SELECT json FROM wake WHERE session = ?",
            [.integer(session)]
        ) { try? StoreCoding.decode(WakeRecord.self, $0.data(0)).get() }.first ?? nil
    }

    /// All there are, by their session's row.
    public func wakes() throws(StoreError) -> [(session: Int64, wake: WakeRecord)] {
        try database.rows("list the wakes", "SELECT session, json FROM wake ORDER BY session") {
            ($0.integer(0), try? StoreCoding.decode(WakeRecord.self, $0.data(1)).get())
        }.compactMap { row in row.1.map { (row.0, $0) } }
    }

    public func save(_ wake: WakeRecord, session: Int64) throws(StoreError) {
        let attempt = "save the wakes of session \(session)"
        try database.run(
            attempt,
            """
            INSERT INTO wake (session, json) VALUES (?, ?)
            ON CONFLICT (session) DO UPDATE SET json = excluded.json
            """, [.integer(session), try StoreCoding.encode(wake, attempt, path: database.path)])
    }

    public func client(_ name: String) throws(StoreError) -> ClientRecord? {
        try database.rows(
            "find the client \(name)", "SELECT json FROM client WHERE name = ?", [.text(name)]
        ) { try? StoreCoding.decode(ClientRecord.self, $0.data(0)).get() }.first ?? nil
    }

    public func save(_ client: ClientRecord, client name: String) throws(StoreError) {
        let attempt = "save the client \(name)"
        try database.run(
            attempt,
            """
            INSERT INTO client (name, json) VALUES (?, ?)
            ON CONFLICT (name) DO UPDATE SET json = excluded.json
            """, [.text(name), try StoreCoding.encode(client, attempt, path: database.path)])
    }

    // MARK: - Questions

    /// The sequence of the newest event that waits; 0 when none does.
    public func newestEvent(session: Int64) throws(StoreError) -> Int64 {
        try database.integer(
            "find the newest event of session \(session)",
            "SELECT coalesce(max(sequence), 0) FROM outbox WHERE session = ?", [.integer(session)])
    }

    /// Whether a task of the session runs or will by itself. One that is suspended waits for its owner.
    public func hasTasksUnderWay(session: Int64) throws(StoreError) -> Bool {
        try database.integer(
            "look for tasks of session \(session)",
            """
            SELECT EXISTS (SELECT 1 FROM task
                WHERE phase IN ('queued', 'running', 'canceling', 'waiting') AND session = ?)
            """, [.integer(session)]) != 0
    }

    /// The keys of queued tasks with a begin date that lies ahead.
    public func heldTasks(session: Int64) throws(StoreError) -> [Int64] {
        try database.rows(
            "list held tasks of session \(session)",
            "SELECT key FROM task WHERE phase = 'queued' AND session = ? AND begin IS NOT NULL",
            [.integer(session)]
        ) { $0.integer(0) }
    }

    /// What a client holds: tasks, and body bytes received.
    public func usage(client: String) throws(StoreError) -> (tasks: Int, bytes: Int64) {
        try database.rows(
            "count what \(client) holds",
            """
            SELECT count(*), coalesce(sum(task.received), 0) FROM session JOIN task ON task.session = session.id
            WHERE session.client = ?
            """, [.text(client)]
        ) { ($0.int(0), $0.integer(1)) }.first ?? (0, 0)
    }
}
