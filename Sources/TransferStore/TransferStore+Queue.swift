// What the scheduler asks: who is next, and when is the next date. Each answer is one look into an index,
// however many tasks wait: the queue is here and not in memory.
import Foundation
import TransferProtocol

extension TransferStore {
    /// The queued task of a lane that goes first: highest priority, then lowest key; tasks whose begin date
    /// lies after `now` do not count.
    public func nextQueued(lane: String, now: Date) throws(StoreError) -> TaskRecord? {
        try ripen(now)
        while let key = try database.rows(
            "find the next task of \(lane)",
            """
            SELECT key FROM task INDEXED BY task_ready WHERE phase = 'queued' AND begin IS NULL AND lane = ?
            ORDER BY priority DESC, key LIMIT 1
            """, [.text(lane)], read: { $0.integer(0) }
        ).first {
            // A row that cannot be read is out of the way now; the one behind it is asked for.
            if let task = try task(key: key) { return task }
        }
        return nil
    }

    /// The lanes in which `nextQueued` would find something.
    public func lanesWithQueued(now: Date) throws(StoreError) -> [String] {
        try ripen(now)
        var lanes: [String] = []
        // From lane to lane: DISTINCT would walk through every queued task.
        while let lane = try database.rows(
            "list the lanes with queued tasks",
            """
            SELECT lane FROM task INDEXED BY task_ready
            WHERE phase = 'queued' AND begin IS NULL AND lane > ? ORDER BY lane LIMIT 1
            """, [.text(lanes.last ?? "")], read: { $0.text(0) }
        ).first {
            lanes.append(lane)
        }
        return lanes
    }

    /// The next date after `now` on which a queued task may begin.
    public func earliestBeginDate(after now: Date) throws(StoreError) -> Date? {
        try database.rows(
            "find the next begin date",
            "SELECT begin FROM task WHERE begin > ? ORDER BY begin LIMIT 1", [SQLValue(now)]
        ) { $0.date(0) }.first
    }

    /// The next date after `now` on which a task that was resumed and has not ended exceeds its resource
    /// timeout.
    public func nextResourceDeadline(after now: Date = .distantPast) throws(StoreError) -> Date? {
        try database.rows(
            "find the next deadline",
            "SELECT deadline FROM task WHERE deadline > ? ORDER BY deadline LIMIT 1", [SQLValue(now)]
        ) { $0.date(0) }.first
    }

    /// The keys of the tasks whose resource timeout is over, the longest overdue first.
    public func tasksPastDeadline(now: Date) throws(StoreError) -> [Int64] {
        try database.rows(
            "list tasks past their deadline", "SELECT key FROM task WHERE deadline <= ? ORDER BY deadline",
            [SQLValue(now)]
        ) { $0.integer(0) }
    }

    /// The keys of the tasks in a phase, by session, then key.
    public func tasks(in phase: TaskRecord.Phase) throws(StoreError) -> [Int64] {
        try database.rows(
            "list \(phase.rawValue) tasks", "SELECT key FROM task WHERE phase = ? ORDER BY session, key",
            [.text(phase.rawValue)]
        ) { $0.integer(0) }
    }

    /// The keys of ended tasks that an earlier life may have left incomplete: bytes that were not on the disk
    /// when the machine crashed under another boot, or a last word that was lost to quarantine.
    public func endedInDoubt(boot: String) throws(StoreError) -> [Int64] {
        try database.rows(
            "list ended tasks in doubt",
            """
            SELECT key FROM task WHERE phase = 'ended' AND (
                (boot <> ? AND synced_offset < received)
                OR NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.task = task.key))
            ORDER BY session, key
            """, [.text(boot)]
        ) { $0.integer(0) }
    }

    /// A session's tasks that have not ended, and those that have and whose events wait.
    public func counts(session: Int64) throws(StoreError) -> (pending: Int, undelivered: Int) {
        let attempt = "count the tasks of session \(session)"
        let pending = try database.integer(
            attempt,
            """
            SELECT count(*) FROM task
            WHERE phase IN ('suspended', 'queued', 'running', 'canceling', 'waiting') AND session = ?
            """, [.integer(session)])
        let undelivered = try database.integer(
            attempt,
            """
            SELECT count(*) FROM task WHERE phase = 'ended' AND session = ?
            AND EXISTS (SELECT 1 FROM outbox WHERE outbox.task = task.key)
            """, [.integer(session)])
        return (Int(pending), Int(undelivered))
    }

    /// Whether any task of any session is in that phase.
    public func hasTasks(in phase: TaskRecord.Phase) throws(StoreError) -> Bool {
        try database.integer(
            "look for \(phase.rawValue) tasks", "SELECT EXISTS (SELECT 1 FROM task WHERE phase = ?)",
            [.text(phase.rawValue)]) != 0
    }

    /// How many tasks of all sessions are in each phase; a phase without any is missing.
    public func countsByPhase() throws(StoreError) -> [TaskRecord.Phase: Int] {
        let counts = try database.rows(
            "count the tasks", "SELECT phase, count(*) FROM task GROUP BY phase"
        ) { (TaskRecord.Phase(rawValue: $0.text(0)), $0.int(1)) }
        return counts.reduce(into: [:]) { result, pair in
            if let phase = pair.0 { result[phase] = pair.1 }
        }
    }

    /// Lets tasks whose date has come join those without a date. Otherwise a lane full of tasks for next week
    /// would have to be searched for the one that may go. Each task pays this once.
    private func ripen(_ now: Date) throws(StoreError) {
        let attempt = "let tasks begin whose date has come"
        let ripe = try database.rows(
            attempt, "SELECT 1 FROM task WHERE begin <= ? LIMIT 1", [SQLValue(now)]
        ) { _ in true }
        if ripe.isEmpty { return }
        try database.run(attempt, "UPDATE task SET begin = NULL WHERE begin <= ?", [SQLValue(now)])
    }
}
