// Files that cannot be used are set aside and never overwritten.
import Foundation
import Testing
import TransferProtocol

@testable import TransferStore

@Suite struct OpeningTests {
    let world: World

    init() throws { world = try World() }

    /// A closed store with so many tasks.
    func fill(_ count: Int = 50) throws {
        let store = try world.open()
        let session = try store.makeSession()
        for _ in 0..<count { try store.add(to: session) }
    }

    func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

    func write(_ data: Data) throws { try data.write(to: URL(fileURLWithPath: world.path)) }

    /// Opens a file that cannot be used; checks that it is kept as it was and that the new store works.
    func expectSetAside(
        _ word: String = "damaged", at location: SourceLocation = #_sourceLocation
    ) throws -> SetAside {
        let content = try bytes(world.path)
        let (store, found) = try TransferStore.open(at: world.path)
        let setAside = try #require(found, sourceLocation: location)
        #expect(setAside.path.hasPrefix(world.path + ".\(word)-"), sourceLocation: location)
        #expect(try bytes(setAside.path) == content, sourceLocation: location)
        #expect(try store.sessions().isEmpty, sourceLocation: location)
        try store.add(to: store.makeSession())
        #expect(try TransferStore.open(at: world.path).setAside == nil, sourceLocation: location)
        return setAside
    }

    @Test func `files are private, whatever the umask and the mode they had`() throws {
        let store = try world.open()
        try store.add(to: store.makeSession())
        for suffix in ["", "-wal", "-shm"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: world.path + suffix)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(suffix)")
        }
        chmod(world.path, 0o644)
        _ = try world.open()
        let attributes = try FileManager.default.attributesOfItem(atPath: world.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func `a file of another kind is set aside`() throws {
        try write(Data("a letter, not a database\n".utf8))
        #expect(try expectSetAside().message == "file is not a database")
    }

    @Test func `a zeroed file is set aside`() throws {
        try fill()
        try write(Data(count: bytes(world.path).count))
        _ = try expectSetAside()
    }

    @Test func `an empty file is set aside`() throws {
        try write(Data())
        #expect(try expectSetAside().message == "the file is empty")
    }

    @Test(arguments: [100, 4096, 4097, 20_000, -4096])
    func `a truncated file is set aside`(length: Int) throws {
        try fill()
        let whole = try bytes(world.path)
        try write(whole.prefix(length > 0 ? length : whole.count + length))
        #expect(try expectSetAside().reason == .damaged)
    }

    @Test func `a page of garbage in the middle is set aside`() throws {
        try fill(200)
        var content = try bytes(world.path)
        let page = content.count / 4096 / 2
        content.replaceSubrange(page * 4096..<(page + 1) * 4096, with: Data(repeating: 0xA5, count: 4096))
        try write(content)
        _ = try expectSetAside()
    }

    @Test func `damage anywhere never keeps the store from opening`() throws {
        try fill()
        let whole = try bytes(world.path)
        var random = SystemRandomNumberGenerator()
        for round in 0..<60 {
            var content = whole
            var places: [Int: UInt8] = [:]
            for _ in 0..<8 {
                // The tables' descriptions and the file's head are hit more often than their share.
                let place = Int.random(in: 0..<(round % 2 == 0 ? 4096 : content.count), using: &random)
                content[place] = UInt8.random(in: 0...255, using: &random)
                places[place] = content[place]
            }
            try write(content)
            do {
                _ = try TransferStore.open(at: world.path)
            } catch {
                Issue.record("damage at \(places): \(error)")
            }
            for file in world.files { unlink(world.folder + "/" + file) }
        }
    }

    @Test func `a wrong byte anywhere in the file's head never keeps the store from opening`() throws {
        try fill(1)
        let whole = try bytes(world.path)
        for place in 0..<100 {
            for mask: UInt8 in [0x01, 0xFF] {
                var content = whole
                content[place] ^= mask
                try write(content)
                do {
                    _ = try TransferStore.open(at: world.path)
                } catch {
                    Issue.record("byte \(place): \(error)")
                }
                for file in world.files { unlink(world.folder + "/" + file) }
            }
        }
    }

    @Test func `a database of another program is set aside`() throws {
        try fill(1)
        try world.edit("PRAGMA application_id = 7")
        #expect(try expectSetAside().message == "the database belongs to another program")
    }

    @Test func `one of our databases without its tables is set aside`() throws {
        try fill(1)
        try world.edit("DROP TABLE outbox; DROP TABLE task")
        #expect(try expectSetAside().reason == .damaged)
    }

    @Test func `a later version is set aside under its number, with its journal`() throws {
        let newer = try world.open()
        try newer.add(to: newer.makeSession())
        try newer.database.execute("", "PRAGMA user_version = 7")
        // Still open, as after a crash: what the later version wrote last is in the journal alone.
        let journal = try bytes(world.path + "-wal")
        let setAside = try expectSetAside("newer-7")
        #expect(setAside.reason == .newer(version: 7))
        #expect(try bytes(setAside.path + "-wal") == journal)
        let kept = try Database(path: setAside.path)
        #expect(try kept.integer("", "SELECT count(*) FROM task") == 1)
    }

    @Test func `a journal that lost its database is set aside, not deleted`() throws {
        try Data("what is left".utf8).write(to: URL(fileURLWithPath: world.path + "-wal"))
        let setAside = try #require(try TransferStore.open(at: world.path).setAside)
        #expect(try bytes(setAside.path + "-wal") == Data("what is left".utf8))
    }

    @Test func `two files set aside in one second have two names`() throws {
        var names: Set<String> = []
        for _ in 0..<3 {
            try write(Data("no".utf8))
            names.insert(try #require(try TransferStore.open(at: world.path).setAside).path)
        }
        #expect(names.count == 3)
    }

    @Test func `a folder in the file's place, or none around it, is an error and no reason to move anything`()
        throws
    {
        #expect(storeError { _ = try TransferStore.open(at: world.folder) }?.kind == .io)
        #expect(storeError { _ = try TransferStore.open(at: world.folder + "/no/x") }?.kind == .io)
        #expect(world.files == [])
    }

    @Test func `a store in memory works like any other and leaves nothing`() throws {
        let store = try TransferStore.inMemory()
        try store.begin()
        let task = try store.add(to: store.makeSession())
        try store.commit()
        #expect(try store.nextQueued(lane: task.lane, now: noon) == task)
        #expect(world.files == [])
    }
}
