// Bytes that really move: the service's works with libcurl, against the slow server, while the test lets the
// back-off pass. Nobody waits here for more than the bytes.
import Foundation
import Testing
import TransferProtocol

@testable import TransferService
@testable import TransferStore

@TransferActor
@Suite(.timeLimit(.minutes(5))) struct RandomDropsTests {
    private static let drops = 50

    /// The drops come within the first 40,000 bytes of each answer, so that all fifty find some left to break.
    @Test(arguments: ["", "&rst=1", "&length=chunked", "&etag=none"])
    func fiftyRandomDropsInOneTransferEndInTheRightHash(how: String) async throws {
        let seed = UInt32.random(in: 0 ... .max)
        print("random drops: seed \(seed), '\(how)'")
        let server = try SlowServer()
        let path = "/bytes/3000000/\(seed)"
        let url = "\(server.origin)\(path)?maxdrops=\(Self.drops)&dropwithin=40000&seed=\(seed)\(how)"
        let home = try SchedulerBench.newHome()
        defer { try? FileManager.default.removeItem(atPath: home.folder) }
        let time = ManualTime()
        let works = TransferWorks(
            home: home, store: try TransferStore.open(at: home.database).store, time: time)
        defer { works.engine.shutdown() }
        let session = try works.store.makeSession(
            client: "tests", identifier: "s", configuration: SessionConfigurationRecord())
        try works.scheduler.create(
            TaskRecord(
                session: session.id, configuration: session.configuration, identifier: 1,
                token: UUID().uuidString, kind: .download,
                lane: RequestCheck.lane(session: session.id, url: url), request: RequestRecord(url: url),
                created: time.date))
        let key = try #require(try works.store.task(session: session.id, identifier: 1)).key
        try works.scheduler.perform(.resume, key: key)

        var waits = 0
        while let task = try works.store.task(key: key), task.phase != .ended {
            if task.phase == .waiting {
                waits += 1
                _ = time.passToNextBell(3600)
            }
            try await Task.sleep(for: .milliseconds(1))
        }
        works.turn.close()
        let task = try #require(try works.store.task(key: key))
        #expect(task.error == nil)
        #expect(task.received == 3_000_000)
        let actual = try Program.output("sha256sum", works.scheduler.bodies.path(task))
        #expect(actual.prefix(64) == (try server.digest(path)).prefix(64), "seed \(seed)")
        // A reset may take everything that an answer had brought: then nothing was gained by it.
        #expect(waits >= Self.drops)
        #expect(server.requests >= Self.drops + 1)
    }
}
