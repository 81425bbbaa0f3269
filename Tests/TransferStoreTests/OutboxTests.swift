import Foundation
import Testing
import TransferProtocol

@testable import TransferStore

@Suite struct OutboxTests {
    let world: World
    let store: TransferStore
    let session: SessionRecord

    init() throws {
        world = try World()
        store = try world.open()
        session = try store.makeSession()
    }

    @Test func `every event comes back as it was, in the order it was posted`() throws {
        let task = try store.add(to: session)
        let other = try store.add(to: session)
        let events: [TaskEvent] = [
            .resumed(offset: 5, expected: nil), .resumed(offset: 5, expected: 10),
            .downloaded(path: "", bytes: 10), .answered(path: "/x", bytes: 0), .completed(error: nil),
            .completed(error: ErrorRecord(-999, "cancelled")),
        ]
        for (index, event) in events.enumerated() {
            try store.post(task: index % 2 == 0 ? task.key : other.key, event)
        }
        let stored = try world.open().outbox(session: session.id, limit: 100)
        #expect(stored.map(\.event) == events)
        #expect(stored.map(\.sequence) == [1, 2, 3, 4, 5, 6])
        #expect(stored.map(\.task) == [1, 2, 1, 2, 1, 2])
        #expect(try store.outbox(session: session.id, after: 2, limit: 3) == Array(stored[2..<5]))
        #expect(try store.entry(4) == stored[3])
    }

    @Test func `an acknowledged event is gone, and its sequence does not come again`() throws {
        let task = try store.add(to: session)
        let first = try store.post(task: task.key, .downloaded(path: "", bytes: 1))
        let last = try store.post(task: task.key, .completed(error: nil))
        #expect(try store.acknowledge(last) == task.key)
        #expect(try store.acknowledge(last) == nil)
        #expect(try store.entry(last) == nil)
        #expect(try store.hasEvents(task: task.key))
        #expect(try store.acknowledge(first) == task.key)
        #expect(try !store.hasEvents(task: task.key))
        #expect(try store.post(task: task.key, .completed(error: nil)) > last)
    }

    @Test func `events belong to their session and go with their task`() throws {
        let other = try store.makeSession("other")
        let mine = try store.add(to: session)
        let second = try store.add(to: session)
        let theirs = try store.add(to: other)
        for key in [mine.key, theirs.key, second.key, mine.key, mine.key] {
            try store.post(task: key, .completed(error: nil))
        }
        #expect(try store.tasksWithWaitingEvents(session: session.id) == 2)
        #expect(try store.tasksWithWaitingEvents(session: other.id) == 1)
        #expect(try store.outbox(session: other.id, limit: 10).map(\.task) == [theirs.key])
        try store.remove(task: mine.key)
        #expect(try store.outbox(session: session.id, limit: 10).map(\.task) == [second.key])
        #expect(try store.tasksWithWaitingEvents(session: session.id) == 1)
    }

    @Test func `an event of no task is refused`() throws {
        #expect(storeError { try store.post(task: 5, .completed(error: nil)) }?.kind == .missing)
    }

    @Test func `a partial file can be taken once`() throws {
        let kept = PartialRecord(
            token: "t", session: session.id, file: "17.part", bytes: 1000, created: noon)
        let other = PartialRecord(token: "u", file: "18.part", bytes: 0, created: noon + 1)
        try store.keepPartial(kept)
        try store.keepPartial(other)
        #expect(try store.partials() == [kept, other])
        #expect(try store.partials(keptBefore: noon + 1) == [kept])
        #expect(storeError { try store.keepPartial(kept) }?.kind == .conflict)
        #expect(try store.takePartial(token: "t") == kept)
        #expect(try store.takePartial(token: "t") == nil)
        #expect(try world.open().partials() == [other])
    }
}
