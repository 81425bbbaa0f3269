// Transactions, crashes, full disks: what was reported stays, and nothing else does.
import Foundation
import Testing
import TransferProtocol

@testable import TransferStore

@Suite struct DurabilityTests {
    let world: World
    let store: TransferStore
    let session: SessionRecord

    init() throws {
        world = try World()
        store = try world.open()
        session = try store.makeSession()
    }

    @Test func `a crash loses nothing committed and keeps nothing else`() throws {
        try store.begin()
        let committed = try store.add(to: session)
        try store.post(task: committed.key, .completed(error: nil))
        try store.commit()
        try store.begin()
        try store.begin()
        try store.add(to: session)
        try store.remove(task: committed.key)

        let (after, setAside) = try TransferStore.open(at: world.crashed())
        #expect(setAside == nil)
        #expect(try after.tasks(session: nil, limit: 10).tasks == [committed])
        #expect(try after.outbox(session: session.id, limit: 10).count == 1)
        #expect(try after.session(id: session.id)?.nextTaskIdentifier == committed.identifier + 1)
    }

    @Test func `a rollback forgets everything since begin`() throws {
        try store.begin()
        #expect(store.isInTransaction)
        var configuration = SessionConfigurationRecord()
        configuration.timeoutForRequest = 3
        let made = try store.makeSession(client: "x", identifier: "y", configuration: configuration)
        _ = try store.configuration(made.configuration)
        let task = try store.add(to: made)
        store.rollback()
        store.rollback()
        #expect(!store.isInTransaction)
        #expect(try store.task(key: task.key) == nil)
        #expect(storeError { _ = try store.configuration(made.configuration) }?.kind == .missing)
        try store.commit()
    }

    @Test func `a refused call leaves the rest of its transaction alone`() throws {
        try store.begin()
        var task = try store.add(to: session)
        #expect(storeError { try store.insert(&task) }?.kind == .conflict)
        try store.commit()
        #expect(try world.open().task(session: session.id, identifier: task.identifier) != nil)
    }

    /// Lets the database grow by no more than a few pages.
    func fillDisk(_ store: TransferStore) throws {
        let pages = try store.database.integer("", "PRAGMA page_count")
        try store.database.execute("", "PRAGMA max_page_count = \(pages + 4)")
    }

    func addUntilFull() -> StoreError? {
        storeError {
            for _ in 0..<10_000 {
                var task = try store.add(to: session)
                task.description = String(repeating: "x", count: 3000)
                try store.save(task)
            }
        }
    }

    @Test func `a full disk is told, loses the transaction alone, and is survived`() throws {
        let before = try store.add(to: session)
        try fillDisk(store)
        try store.begin()
        let error = addUntilFull()
        #expect(error?.kind == .full)
        #expect(error?.code == 13, "SQLITE_FULL")
        #expect(error?.path == world.path)
        store.rollback()
        #expect(try store.tasks(session: nil, limit: 10).tasks == [before])

        try store.database.execute("", "PRAGMA max_page_count = 1000000")
        #expect(addUntilFullSmall() == nil)
        #expect(try world.open().tasks(session: nil, limit: 1000).tasks.count == 101)
    }

    func addUntilFullSmall() -> StoreError? {
        do {
            for _ in 0..<100 { try store.add(to: session) }
            return nil
        } catch {
            return error as? StoreError
        }
    }

    @Test func `after a lost transaction nothing slips in until the rollback`() throws {
        try store.begin()
        try store.add(to: session)
        // What SQLite does by itself on some errors.
        try store.database.execute("", "CREATE TEMP TABLE t (x UNIQUE ON CONFLICT ROLLBACK)")
        let insert = "INSERT INTO t VALUES (1)"
        try store.database.run("", insert)
        #expect(storeError { try store.database.run("provoke", insert) }?.kind == .conflict)
        #expect(storeError { try store.add(to: session) }?.attempt == "provoke")
        #expect(storeError { try store.commit() }?.attempt == "provoke")
        #expect(!store.isInTransaction)
        #expect(try store.tasks(session: nil, limit: 10).tasks == [])
        try store.add(to: session)
    }

    @Test func `a read-only database says so and can still be read`() throws {
        let task = try store.add(to: session)
        try store.database.execute("", "PRAGMA query_only = ON")
        #expect(storeError { try store.save(task) }?.kind == .readOnly)
        #expect(storeError { _ = try store.makeSession("other") }?.kind == .readOnly)
        #expect(try store.task(key: task.key) == task)
        try store.database.execute("", "PRAGMA query_only = OFF")
        try store.save(task)
    }

    @Test func `another program's lock is told after a moment, not waited for`() throws {
        let other = try Database(path: world.path)
        try other.begin()
        #expect(storeError { try store.add(to: session) }?.kind == .busy)
        other.rollback()
        try store.add(to: session)
    }

    @Test func `every commit is synced, and the journal is the write-ahead log`() throws {
        func pragma(_ name: String) throws -> String {
            try store.database.rows("", "PRAGMA \(name)") { $0.text(0) }.first ?? ""
        }
        #expect(try pragma("journal_mode") == "wal")
        #expect(try pragma("synchronous") == "2")
        #expect(try pragma("foreign_keys") == "1")
        #expect(try pragma("application_id") == "1970433139")
        #expect(try pragma("user_version") == "\(Schema.version)")
    }

    @Test func `ten thousand tasks go into one transaction quickly`() throws {
        let time = try ContinuousClock().measure {
            try store.begin()
            var task = try store.add(to: session)
            for identifier in 2...10_001 {
                task.identifier = identifier
                task.token = "\(identifier)"
                try store.insert(&task)
            }
            try store.commit()
        }
        // 0.3 s in a release build; the bound is for a debug build on a busy machine.
        #expect(time < .seconds(20))
    }
}
