// SQLite's own word that the questions asked while transfers run are answered by an index.
import Foundation
import Testing
import TransferProtocol

@testable import TransferStore

@Suite struct PlanTests {
    /// Questions about everything there is: asked at the start or by a person, and walking is their nature.
    static let walks = [
        "FROM session ORDER BY id", "GROUP BY phase", "FROM partial ORDER BY", "FROM partial WHERE created",
        "DELETE FROM configuration", "FROM wake ORDER BY",
    ]

    @Test func `no question walks through a table or sorts`() throws {
        let world = try World()
        let store = try world.open()
        try askEverything(store)
        var plans = 0
        for sql in store.database.statementTexts where !Self.walks.contains(where: sql.contains) {
            let plan = try store.database.rows(
                "explain", "EXPLAIN QUERY PLAN " + sql,
                Array(repeating: .null, count: parameters(of: sql))
            ) { $0.text(3) }
            plans += plan.isEmpty ? 0 : 1
            for line in plan {
                // A look-up by `SELECT 1` or `VALUES` has no table: "SCAN CONSTANT ROW".
                #expect(
                    (!line.contains("SCAN") || line.contains("CONSTANT ROW"))
                        && !line.contains("TEMP B-TREE"),
                    "\(line)\n\(sql)")
            }
        }
        #expect(plans > 20, "the questions were not asked")
    }

    private func parameters(of sql: String) -> Int {
        sql.contains("?1") ? 2 : sql.count { $0 == "?" }
    }

    private func askEverything(_ store: TransferStore) throws {
        let session = try store.makeSession()
        let task = try store.add(to: session, begin: noon)
        _ = try store.session(client: "a", identifier: "b")
        _ = try store.sessions()
        try store.save(task)
        try store.saveProgress(key: task.key, syncedOffset: 0, boot: nil)
        _ = try store.task(key: task.key)
        _ = try store.task(session: 1, identifier: 1)
        _ = try store.task(session: 1, token: "t")
        _ = try store.tasks(session: 1, described: "d")
        _ = try store.tasks(session: nil, limit: 1)
        _ = try store.tasks(session: 1, limit: 1)
        _ = try store.nextQueued(lane: "l", now: noon)
        _ = try store.lanesWithQueued(now: noon)
        _ = try store.earliestBeginDate(after: noon)
        _ = try store.nextResourceDeadline()
        _ = try store.tasksWithPipe(session: 1)
        _ = try store.hasTasks(in: .waiting)
        _ = try store.tasksPastDeadline(now: noon)
        _ = try store.tasks(in: .ended)
        _ = try store.counts(session: 1)
        _ = try store.countsByPhase()
        let sequence = try store.post(task: task.key, .completed(error: nil))
        _ = try store.outbox(session: 1, limit: 1)
        _ = try store.entry(sequence)
        _ = try store.events(task: task.key)
        _ = try store.tasksWithWaitingEvents(session: 1)
        _ = try store.hasEvents(task: task.key)
        _ = try store.newestEvent(session: 1)
        _ = try store.hasTasksUnderWay(session: 1)
        _ = try store.heldTasks(session: 1)
        _ = try store.usage(client: "tests")
        try store.save(WakeRecord(), session: session.id)
        _ = try store.wake(session: session.id)
        _ = try store.wakes()
        try store.save(ClientRecord(), client: "tests")
        _ = try store.client("tests")
        try store.acknowledge(sequence)
        try store.keepPartial(PartialRecord(token: "t", file: "f", bytes: 0, created: noon))
        _ = try store.partials()
        _ = try store.takePartial(token: "t")
        try store.remove(task: task.key)
    }
}
