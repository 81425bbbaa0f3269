// A store file of each released format is checked in and must open for ever, value for value.
// To make the file of a new format: WRITE_FIXTURES=1 swift test --filter FixtureTests
// (an existing file is never written again: it is what people have on their disks).
import Foundation
import Testing
import TransferProtocol

@testable import TransferStore

@Suite struct FixtureTests {
    static let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Fixtures/store-format-1.sqlite").path
    static let isWriting =
        ProcessInfo.processInfo.environment["WRITE_FIXTURES"] != nil
        && !FileManager.default.fileExists(atPath: fixture)

    @Test(.enabled(if: isWriting)) func `write the fixture of format 1`() throws {
        let store = try TransferStore.open(at: Self.fixture).store
        try store.begin()
        for session in Self.sessions {
            _ = try store.makeSession(
                client: session.client, identifier: session.identifier,
                configuration: session.id == 1 ? Self.configuration : SessionConfigurationRecord())
        }
        for task in Self.tasks {
            var task = task
            try store.insert(&task)
        }
        for entry in Self.entries { try store.post(task: entry.task, entry.event) }
        try store.keepPartial(Self.partial)
        try store.commit()
    }

    @Test(.disabled(if: isWriting)) func `a store of format 1 opens with every value in place`() throws {
        let world = try World()
        try FileManager.default.copyItem(atPath: Self.fixture, toPath: world.path)
        let (store, setAside) = try TransferStore.open(at: world.path)
        #expect(setAside == nil)
        #expect(try store.sessions() == Self.sessions)
        #expect(try store.configuration(1) == Self.configuration)
        #expect(try store.configuration(2) == SessionConfigurationRecord())
        let page = try store.tasks(session: nil, limit: 100)
        #expect(page.next == nil)
        #expect(page.tasks.count == Self.tasks.count)
        for (found, written) in zip(page.tasks, Self.tasks) {
            var expected = written
            // Members that came later.
            expected.ending = nil
            expected.transactions = []
            expected.ended = nil
            expected.asks = nil
            expected.pipe = nil
            expected.retryRule = .always
            expected.begunInWake = false
            expected.heldUntil = nil
            expected.notBefore = nil
            expected.hasBegun = false
            expected.isAskedToBegin = false
            expected.originalRequest = nil
            #expect(found == expected)
        }
        #expect(try store.outbox(session: 1, limit: 100) == Self.entries.filter { $0.task != 7 })
        #expect(try store.outbox(session: 2, limit: 100) == Self.entries.filter { $0.task == 7 })
        #expect(try store.partials() == [Self.partial])
        #expect(try store.nextQueued(lane: "1 https://host", now: noon)?.key == 2)
        #expect(try store.earliestBeginDate(after: noon) == noon + 3600)
        #expect(try store.nextResourceDeadline() == noon + 43.3)
        #expect(store.quarantined == [])
    }

    // MARK: - What is in it

    static let sessions = [
        SessionRecord(
            id: 1, client: "bgtool", identifier: "nightly", configuration: 1, nextTaskIdentifier: 7),
        SessionRecord(id: 2, client: "other app", identifier: "ü/x", configuration: 2, nextTaskIdentifier: 2),
    ]

    static let configuration: SessionConfigurationRecord = {
        var configuration = SessionConfigurationRecord()
        configuration.timeoutForRequest = 30
        configuration.timeoutForResource = 42
        configuration.maximumConnectionsPerHost = 2
        configuration.isDiscretionary = true
        configuration.sendsLaunchEvents = false
        configuration.allowsCellularAccess = false
        configuration.allowsExpensiveNetworkAccess = false
        configuration.allowsConstrainedNetworkAccess = false
        configuration.additionalHeaders = [HeaderField("User-Agent", "tests/1")]
        configuration.proxies.http = "http://proxy:3128"
        configuration.proxies.https = "http://proxy:3129"
        configuration.proxies.all = "socks5://proxy"
        configuration.proxies.exceptions = "localhost,.internal"
        configuration.certificateFile = "/etc/ssl/own.pem"
        configuration.certificateFolder = "/etc/ssl/own"
        return configuration
    }()

    /// One in each phase with every member set, and a bare one of the second session.
    static let tasks: [TaskRecord] = {
        var tasks = TaskRecord.Phase.allCases.enumerated().map { index, phase in
            var task = fullTask(session: sessions[0], identifier: index + 1)
            task.key = Int64(index + 1)
            task.phase = phase
            task.earliestBeginDate = phase == .queued ? noon - 10 : noon + 3600
            task.source = source
            return task
        }
        var bare = TaskRecord(
            session: 2, configuration: 2, identifier: 1, token: "bare", kind: .data, lane: "2 http://host",
            request: RequestRecord(url: "http://host/"), created: noon)
        bare.key = 7
        bare.phase = .queued
        bare.earliestBeginDate = noon + 3600
        tasks.append(bare)
        return tasks
    }()

    static let source: UploadSource = {
        var status = stat()
        status.st_dev = 1
        status.st_ino = 2
        status.st_size = 3
        status.st_mtim = timespec(tv_sec: 4, tv_nsec: 5)
        return UploadSource(path: "/home/me/file", status: status)
    }()

    static let entries = [
        OutboxEntry(sequence: 1, task: 6, event: .resumed(offset: 1, expected: 2)),
        OutboxEntry(sequence: 2, task: 6, event: .downloaded(path: "", bytes: 3)),
        OutboxEntry(sequence: 3, task: 6, event: .answered(path: "/a", bytes: 4)),
        OutboxEntry(sequence: 4, task: 6, event: .completed(error: ErrorRecord(-1001, "timed out"))),
        OutboxEntry(sequence: 5, task: 7, event: .completed(error: nil)),
    ]

    static let partial = PartialRecord(
        token: "kept", session: 1, file: "kept.part", bytes: 1 << 40, created: noon)
}
