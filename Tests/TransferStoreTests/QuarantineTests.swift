// One unreadable row does not stop the others.
import Foundation
import Testing
import TransferProtocol

@testable import TransferStore

@Suite struct QuarantineTests {
    let world: World
    let store: TransferStore
    let session: SessionRecord

    init() throws {
        world = try World()
        store = try world.open()
        session = try store.makeSession()
    }

    func kept() throws -> [String] {
        try store.database.rows("", "SELECT row FROM quarantine ORDER BY id") { $0.text(0) }
    }

    @Test(arguments: [
        "json = '{\"kind\":\"parcel\"}'", "json = ''", "json = 'gar\"bage'", "phase = 'flying'",
    ])
    func `a task that cannot be read is kept as text and the others live`(damage: String) throws {
        let bad = try store.add(to: session)
        let good = try store.add(to: session)
        try store.post(task: bad.key, .downloaded(path: "", bytes: 77))
        try world.edit("UPDATE task SET \(damage) WHERE key = \(bad.key)")

        #expect(try store.tasks(session: session.id, limit: 10).tasks == [good])
        #expect(store.quarantined.count == 1)
        #expect(store.quarantined.first?.origin == .task)
        #expect(store.quarantined.first?.task == bad.key)
        #expect(store.quarantined.first?.reason.isEmpty == false)
        #expect(try store.task(key: bad.key) == nil)
        #expect(try store.outbox(session: session.id, limit: 10) == [])
        let texts = try kept()
        #expect(texts.count == 2)
        #expect(texts.first?.contains("77") == true)
        #expect(texts.last?.contains(bad.token) == true)
    }

    @Test func `the one behind an unreadable task is next`() throws {
        for _ in 0..<3 { try store.add(to: session, priority: 0.9) }
        let good = try store.add(to: session)
        try world.edit("UPDATE task SET json = 'x' WHERE priority > 0.8")
        store.recent.forgetAll()
        #expect(try store.nextQueued(lane: good.lane, now: noon) == good)
        #expect(store.quarantined.count == 3)
    }

    @Test func `a page is not ended by rows that cannot be read`() throws {
        for _ in 0..<6 { try store.add(to: session) }
        try world.edit("UPDATE task SET json = 'x' WHERE key IN (2, 3)")
        let page = try store.tasks(session: nil, limit: 3)
        #expect(page.tasks.map(\.key) == [1])
        let next = try store.tasks(session: nil, after: try #require(page.next), limit: 3)
        #expect(next.tasks.map(\.key) == [4, 5, 6])
        #expect(next.next == nil)
    }

    @Test func `an event that cannot be read names its task`() throws {
        let task = try store.add(to: session, phase: .ended)
        let first = try store.post(task: task.key, .downloaded(path: "", bytes: 1))
        let second = try store.post(task: task.key, .completed(error: nil))
        try world.edit("UPDATE outbox SET json = '{\"teleported\":{}}' WHERE sequence = \(first)")
        #expect(try store.outbox(session: session.id, limit: 1).map(\.sequence) == [second])
        #expect(store.quarantined.map(\.origin) == [.outbox])
        #expect(store.quarantined.map(\.task) == [task.key])
        #expect(try kept().first?.contains("teleported") == true)
        #expect(try store.entry(first) == nil)
    }

    @Test func `a configuration that cannot be read becomes the default one, once`() throws {
        var configuration = SessionConfigurationRecord()
        configuration.isDiscretionary = true
        let other = try store.makeSession(client: "c", identifier: "i", configuration: configuration)
        try world.edit("UPDATE configuration SET json = '[]' WHERE id = \(other.configuration)")
        #expect(try store.configuration(other.configuration) == SessionConfigurationRecord())
        let later = try world.open()
        #expect(try later.configuration(other.configuration) == SessionConfigurationRecord())
        #expect(store.quarantined.map(\.origin) == [.configuration])
        #expect(later.quarantined == [])
    }

    @Test func `a row comes back when its quarantine is rolled back`() throws {
        let task = try store.add(to: session)
        try world.edit("UPDATE task SET json = 'x'")
        store.recent.forgetAll()
        try store.begin()
        #expect(try store.task(key: task.key) == nil)
        store.rollback()
        #expect(try store.countsByPhase() == [.queued: 1])
    }
}
