// Tasks and sessions: what goes in comes out.
import Foundation
import Testing
import TransferProtocol

@testable import TransferStore

@Suite struct TaskTests {
    let world: World
    let store: TransferStore
    let session: SessionRecord

    init() throws {
        world = try World()
        store = try world.open()
        session = try store.makeSession()
    }

    @Test func `a task comes back as it was, member for member`() throws {
        var task = fullTask(session: session, identifier: 1)
        let blank = TaskRecord(
            session: 0, configuration: 0, identifier: 0, token: "", kind: .download, lane: "",
            request: RequestRecord(url: ""), created: .distantPast)
        for (member, beginning) in zip(Mirror(reflecting: task).children, Mirror(reflecting: blank).children)
        where member.label != "key" {
            #expect(
                "\(member.value)" != "\(beginning.value)",
                "fullTask leaves \(member.label ?? "") as it begins: the test would not see it lost")
        }
        try store.insert(&task)
        #expect(task.key != 0)
        #expect(try store.task(key: task.key) == task)

        task.phase = .ended
        task.wait = nil
        task.boot = nil
        task.description = nil
        task.lane = "1 https://other"
        try store.save(task)
        #expect(try world.open().task(key: task.key) == task)
    }

    @Test func `a date of the clock comes back to the last bit`() throws {
        var task = fullTask(session: session, identifier: 1)
        task.created = Date(timeIntervalSinceReferenceDate: 786_172_799.123_456_7)
        task.wait?.until = Date()
        try store.insert(&task)
        #expect(try store.task(key: task.key) == task)
    }

    @Test func `a task is found by key, by identifier and by token`() throws {
        let task = try store.add(to: session)
        let other = try store.makeSession("other")
        #expect(try store.task(key: task.key) == task)
        #expect(try store.task(session: session.id, identifier: task.identifier) == task)
        #expect(try store.task(session: session.id, token: task.token) == task)
        #expect(try store.task(session: other.id, identifier: task.identifier) == nil)
        #expect(try store.task(session: other.id, token: task.token) == nil)
        #expect(try store.task(key: 99) == nil)
    }

    @Test func `progress changes the counters alone`() throws {
        var task = fullTask(session: session, identifier: 1)
        task.received = 1
        try store.insert(&task)
        try store.saveProgress(key: task.key, syncedOffset: 500, boot: "b2", received: 600)
        task.syncedOffset = 500
        task.boot = "b2"
        task.received = 600
        #expect(try store.task(key: task.key) == task)
        try store.saveProgress(key: task.key, syncedOffset: 0, boot: nil)
        #expect(try store.task(key: task.key)?.received == 600)
        #expect(try store.task(key: task.key)?.boot == nil)
    }

    @Test func `identifiers and keys rise after tasks were removed`() throws {
        let first = try store.add(to: session)
        let second = try store.add(to: session)
        try store.remove(task: first.key)
        try store.remove(task: second.key)
        let again = try world.open().makeSession()
        #expect(again.nextTaskIdentifier == 3)
        #expect(try store.add(to: again).key > second.key)
        try store.setNextTaskIdentifier(session: session.id, 2)
        #expect(try store.session(id: session.id)?.nextTaskIdentifier == 4, "it never goes back")
        try store.setNextTaskIdentifier(session: session.id, 40)
        #expect(try store.session(id: session.id)?.nextTaskIdentifier == 40)
    }

    @Test func `a second task with the same identifier or token is a conflict`() throws {
        let task = try store.add(to: session)
        for (identifier, token) in [(task.identifier, "fresh"), (7, task.token)] {
            var twin = task
            twin.identifier = identifier
            twin.token = token
            #expect(storeError { try store.insert(&twin) }?.kind == .conflict)
        }
        var highest = task
        highest.identifier = .max
        highest.token = "highest"
        try store.insert(&highest)
    }

    @Test func `saving a task that is gone says so`() throws {
        let task = try store.add(to: session)
        try store.remove(task: task.key)
        try store.remove(task: task.key)
        let error = storeError { try store.save(task) }
        #expect(error?.kind == .missing)
        #expect(error?.attempt == "save task \(task.key)")
        #expect(error?.path == world.path)
        #expect(
            storeError { try store.saveProgress(key: task.key, syncedOffset: 1, boot: nil) }?.kind == .missing
        )
    }

    @Test func `pages follow each other in the order of keys and end`() throws {
        let other = try store.makeSession("other")
        for _ in 0..<5 {
            try store.add(to: session)
            try store.add(to: other)
        }
        func pages(_ session: Int64?, _ limit: Int) throws -> [[Int64]] {
            var pages: [[Int64]] = []
            var after: Int64? = 0
            while let from = after {
                let page = try store.tasks(session: session, after: from, limit: limit)
                pages.append(page.tasks.map(\.key))
                after = page.next
            }
            return pages
        }
        #expect(try pages(session.id, 2) == [[1, 3], [5, 7], [9]])
        #expect(try pages(session.id, 5) == [[1, 3, 5, 7, 9]])
        #expect(try pages(nil, 4) == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10]])
        #expect(try pages(99, 4) == [[]])
        #expect(try pages(session.id, -1).count == 5, "a senseless limit is the nearest allowed one")
        #expect(try pages(nil, .max) == [Array(1...10)])
    }

    @Test func `a heavy page ends early and the next goes on`() throws {
        for _ in 0..<5 {
            var task = try store.add(to: session)
            task.description = String(repeating: "x", count: 1000)
            try store.save(task)
        }
        var pages: [[Int64]] = []
        var after: Int64? = 0
        while let from = after {
            let page = try store.tasks(session: session.id, after: from, limit: 100, bytes: 2000)
            pages.append(page.tasks.map(\.key))
            after = page.next
        }
        #expect(pages == [[1, 2], [3, 4], [5]])
        // One that is heavier than a page is a page.
        #expect(try store.tasks(session: nil, limit: 100, bytes: 1).tasks.map(\.key) == [1])
    }

    @Test func `counts tell pending from undelivered`() throws {
        for phase in TaskRecord.Phase.allCases { try store.add(to: session, phase: phase) }
        let delivered = try store.add(to: session, phase: .ended)
        let waits = try store.add(to: session, phase: .ended)
        try store.post(task: waits.key, .completed(error: nil))
        try store.post(task: waits.key, .completed(error: nil))
        let counts = try store.counts(session: session.id)
        #expect(counts.pending == 5)
        #expect(counts.undelivered == 1)
        #expect(try store.countsByPhase()[.ended] == 3)
        #expect(try store.countsByPhase()[.running] == 1)
        #expect(try store.tasks(in: .ended) == [6, delivered.key, waits.key])
        try store.remove(task: 3)
        #expect(try store.countsByPhase()[.running] == nil)
    }
}
