// What is remembered of wakes and clients, and the questions that decide about them.
import Foundation
import Testing
import TransferProtocol

@testable import TransferStore

@Suite struct WakeTests {
    let world: World
    let store: TransferStore
    let session: SessionRecord

    init() throws {
        world = try World()
        store = try world.open()
        session = try store.makeSession()
    }

    @Test func `a session's wakes come back as they were`() throws {
        #expect(try store.wake(session: session.id) == nil)
        var wake = WakeRecord()
        wake.level = 3
        wake.lastLaunch = noon + 0.1
        wake.notBefore = noon + 60
        wake.outcome = .overran
        wake.visit = WakeRecord.Visit(token: "1-x", began: noon, newest: 5)
        try store.save(wake, session: session.id)
        wake.launches = 4
        try store.save(wake, session: session.id)
        let again = try TransferStore.open(at: world.path).store
        #expect(try again.wake(session: session.id) == wake)
        #expect(try again.wakes().map(\.session) == [session.id])
    }

    @Test func `wakes that cannot be read are forgotten, and written anew`() throws {
        try store.save(WakeRecord(), session: session.id)
        try world.edit("UPDATE wake SET json = '{}'")
        #expect(try store.wake(session: session.id) == nil)
        #expect(try store.wakes().isEmpty)
        try store.save(WakeRecord(), session: session.id)
        #expect(try store.wake(session: session.id) == WakeRecord())
    }

    @Test func `a task that waits for its owner is not under way`() throws {
        #expect(try !store.hasTasksUnderWay(session: session.id))
        try store.add(to: session, phase: .suspended)
        try store.add(to: session, phase: .ended)
        #expect(try !store.hasTasksUnderWay(session: session.id))
        try store.add(to: session, phase: .waiting)
        #expect(try store.hasTasksUnderWay(session: session.id))
    }

    @Test func `the newest event is the last that waits`() throws {
        #expect(try store.newestEvent(session: session.id) == 0)
        let task = try store.add(to: session)
        let first = try store.post(task: task.key, .completed(error: nil))
        #expect(try store.newestEvent(session: session.id) == first)
        try store.acknowledge(first)
        #expect(try store.newestEvent(session: session.id) == 0)
    }

    @Test func `a task that a wake holds waits for its date in the queue`() throws {
        var task = try store.add(to: session, begin: noon)
        task.heldUntil = noon + 60
        try store.save(task)
        #expect(try store.nextQueued(lane: task.lane, now: noon + 59) == nil)
        #expect(try store.heldTasks(session: session.id) == [task.key])
        #expect(try store.nextQueued(lane: task.lane, now: noon + 60)?.key == task.key)
    }

    @Test func `what a client holds is counted over its sessions`() throws {
        var task = try store.add(to: session)
        task.received = 5
        try store.save(task)
        var other = try store.add(to: try store.makeSession("weekly"))
        other.received = 7
        try store.save(other)
        let usage = try store.usage(client: "tests")
        #expect(usage.tasks == 2 && usage.bytes == 12)
        #expect(try store.usage(client: "others").tasks == 0)
    }

    @Test func `a client's switch is remembered`() throws {
        #expect(try store.client("tests") == nil)
        var client = ClientRecord()
        client.isSwitchedOff = true
        try store.save(client, client: "tests")
        #expect(try TransferStore.open(at: world.path).store.client("tests") == client)
    }
}
