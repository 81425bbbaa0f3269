// What is kept in memory of tasks is what their rows say.
import Foundation
import Testing
import TransferProtocol

@testable import TransferStore

@Suite struct RecentTasksTests {
    let world: World
    let store: TransferStore
    let session: SessionRecord

    init() throws {
        world = try World()
        store = try world.open()
        session = try store.makeSession()
    }

    /// What a service that starts now would read.
    func onDisk(_ key: Int64) throws -> TaskRecord? { try world.open().task(key: key) }

    @Test func `every step of a task is on disk as it is in memory`() throws {
        var task = fullTask(session: session, identifier: 1)
        try store.insert(&task)
        let steps: [(inout TaskRecord) -> Void] = [
            { $0.phase = .running }, { $0.response = $0.held?.response }, { $0.held = nil },
            { $0.response = nil }, { $0.transactions = [] }, { $0.description = nil },
            { $0.held = fullTask(session: session, identifier: 1).held },
            { $0.handedOver = HandedOverFile(size: 1, modifiedSeconds: 2, modifiedNanoseconds: 3) },
        ]
        for step in steps {
            step(&task)
            try store.save(task)
            #expect(try store.task(key: task.key) == task)
            #expect(try onDisk(task.key) == task)
        }
        try store.saveProgress(key: task.key, syncedOffset: 77, boot: "b", received: 88)
        #expect(try store.task(key: task.key) == onDisk(task.key))
        #expect(try store.task(key: task.key)?.received == 88)
    }

    @Test func `what was rolled back is not remembered`() throws {
        var task = try store.add(to: session)
        try store.begin()
        task.phase = .running
        try store.save(task)
        store.rollback()
        #expect(try store.task(key: task.key)?.phase == .queued)
    }

    @Test func `a removed task is not remembered`() throws {
        let task = try store.add(to: session)
        try store.remove(task: task.key)
        #expect(try store.task(key: task.key) == nil)
        #expect(try store.task(session: session.id, identifier: task.identifier) == nil)
    }

    @Test func `however many there are, memory holds the last ones and the disk all`() throws {
        try store.begin()
        let tasks = try (0..<2000).map { _ in try store.add(to: session) }
        try store.commit()
        for task in tasks {
            #expect(try store.task(session: session.id, identifier: task.identifier) == task)
        }
    }
}
