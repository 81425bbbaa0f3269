import Foundation
import Testing
import TransferProtocol

@testable import TransferStore

@Suite struct SessionTests {
    let world: World
    let store: TransferStore

    init() throws {
        world = try World()
        store = try world.open()
    }

    @Test func `a session is found again under its client and identifier`() throws {
        let mine = try store.makeSession(
            client: "a", identifier: "x", configuration: SessionConfigurationRecord())
        let theirs = try store.makeSession(
            client: "b", identifier: "x", configuration: SessionConfigurationRecord())
        #expect(mine.id != theirs.id)
        #expect(mine.nextTaskIdentifier == 1)
        #expect(try store.session(client: "a", identifier: "x") == mine)
        #expect(try store.session(id: theirs.id) == theirs)
        #expect(try store.session(client: "a", identifier: "y") == nil)
        #expect(try store.session(id: 77) == nil)
        #expect(try store.sessions() == [mine, theirs])
    }

    @Test func `a new configuration governs later tasks only`() throws {
        let before = try store.makeSession()
        let task = try store.add(to: before)
        var configuration = SessionConfigurationRecord()
        configuration.timeoutForResource = 5
        configuration.additionalHeaders = [HeaderField("A", "1")]
        configuration.proxies.http = "http://proxy:3128"
        let after = try store.makeSession(
            client: before.client, identifier: before.identifier, configuration: configuration)
        #expect(after.id == before.id)
        #expect(after.configuration != before.configuration)
        #expect(try store.configuration(after.configuration) == configuration)
        #expect(try store.task(key: task.key)?.configuration == before.configuration)
        #expect(try store.configuration(before.configuration) == SessionConfigurationRecord())
        #expect(try world.open().configuration(after.configuration) == configuration)
    }

    @Test func `attaching again leaves no configurations behind`() throws {
        for round in 0..<20 {
            var configuration = SessionConfigurationRecord()
            configuration.maximumConnectionsPerHost = round % 2
            _ = try store.makeSession(client: "a", identifier: "x", configuration: configuration)
        }
        let count = "SELECT count(*) FROM configuration"
        #expect(try store.database.integer("count", count) == 2)
        #expect(try world.open().database.integer("count", count) == 1, "opening removes what nobody uses")
    }

    @Test func `a configuration that does not exist is missing`() throws {
        #expect(storeError { _ = try store.configuration(5) }?.kind == .missing)
    }
}
