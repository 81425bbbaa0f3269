// A scheduler with a store and body files of its own, and an engine that moves no bytes.
import Foundation
import HTTPEngine
import Testing
import TransferProtocol

@testable import TransferService
@testable import TransferStore

@TransferActor
final class SchedulerBench: SchedulerObserver {
    nonisolated let home: ServiceHome
    let store: TransferStore
    let turn: Turn
    let bodies: BodyFolder
    let scheduler: Scheduler
    let engine = FakeEngine()
    let session: SessionRecord
    private(set) var changes = 0
    private(set) var posted = 0
    private(set) var looks = 0
    private(set) var quiets = 0
    private(set) var asked: [Int64] = []

    init(
        home: ServiceHome? = nil, boot: String = "boot", limit: Int = 6, connections: Int = 512,
        resourceTimeout: Double = 1000,
        time: any TimeSource = SystemTime(), conditions: any ConditionSource = FakeConditions(),
        change: (inout SessionConfigurationRecord) -> Void = { _ in }
    ) throws {
        self.home = try home ?? Self.newHome()
        store = try TransferStore.open(at: self.home.database).store
        turn = Turn(store: store)
        bodies = BodyFolder(home: self.home, boot: boot)
        scheduler = Scheduler(
            store: store, turn: turn, bodies: bodies, boot: boot, engine: engine, reconcileDelay: 0.05,
            connections: connections, time: time, conditions: conditions)
        var configuration = SessionConfigurationRecord()
        configuration.maximumConnectionsPerHost = limit
        configuration.timeoutForResource = resourceTimeout
        change(&configuration)
        session = try store.makeSession(client: "tests", identifier: "s", configuration: configuration)
        scheduler.observer = self
    }

    deinit { try? FileManager.default.removeItem(atPath: home.folder) }

    nonisolated static func newHome() throws -> ServiceHome {
        var template = Array("/tmp/scheduler-test-XXXXXX".utf8CString)
        let made = try #require(mkdtemp(&template))
        let home = ServiceHome(folder: String(cString: made))
        try home.prepare()
        return home
    }

    func eventsPosted(session: Int64) { posted += 1 }
    func taskChanged(_ task: TaskRecord) { changes += 1 }
    func tasksMoved(_ tasks: [TaskRecord]) {}
    func lookAgain() { looks += 1 }
    func becameQuiet() { quiets += 1 }
    func questionAsked(_ task: TaskRecord) { asked.append(task.key) }

    /// Whether there is an owner that wants to be asked, and what it was asked.
    var answersQuestions = false
    private(set) var questions: [Int64] = []
    func mayAsk(about task: TaskRecord) -> Bool { answersQuestions }
    func ask(about task: TaskRecord) { questions.append(task.key) }

    // MARK: Acting

    @discardableResult
    func add(
        _ kind: TaskKind = .download, change: (inout TaskRecord) -> Void = { _ in }
    ) throws -> Int64 {
        let next = try #require(try store.session(id: session.id)).nextTaskIdentifier
        var task = TaskRecord(
            session: session.id, configuration: session.configuration, identifier: next,
            token: UUID().uuidString, kind: kind, lane: RequestCheck.lane(session: 1, url: Sample.url),
            request: RequestRecord(url: Sample.url), created: scheduler.time.date)
        change(&task)
        try scheduler.create(task)
        return try #require(try store.task(session: session.id, identifier: next)).key
    }

    /// A resumed task whose attempt has started.
    func started(_ kind: TaskKind = .download) async throws -> (key: Int64, transfer: UInt64) {
        let key = try add(kind)
        try scheduler.perform(.resume, key: key)
        await settle()
        return (key, try #require(engine.started.last))
    }

    /// Lets everything happen that is in the queue.
    func settle() async {
        for _ in 0..<4 {
            await withCheckedContinuation { done in TransferActor.enqueue { done.resume() } }
        }
    }

    func waitUntil(
        at location: SourceLocation = #_sourceLocation, _ condition: () throws -> Bool
    ) async throws {
        let deadline = ContinuousClock.now + .seconds(10)
        while try !condition() {
            guard ContinuousClock.now < deadline else {
                Issue.record("it did not come to that within 10 s", sourceLocation: location)
                return
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    // MARK: The engine's side

    /// 200 with a strong tag and ranges.
    func answer(_ transfer: UInt64, length: Int64 = 1000) {
        answer(transfer, Sample.resumable(length), .replace)
    }

    /// An answer that the judge refuses.
    func answer(_ transfer: UInt64, status: Int, fields: [String: String]) {
        answer(transfer, Sample.answer(status, fields), .refuse)
    }

    private func answer(_ transfer: UInt64, _ head: ResponseRecord, _ disposition: BodyDisposition) {
        let fields = head.headers.map { EngineHeader(name: $0.name, value: $0.value) }
        scheduler.take(
            .head(
                TransferID(rawValue: transfer),
                EngineHead(
                    url: head.url, status: head.status, version: "HTTP/1.1", headers: fields, hasBody: true),
                disposition))
    }

    func fill(_ key: Int64, _ length: Int) throws {
        let task = try #require(try store.task(key: key))
        try Data(repeating: 7, count: length).write(to: URL(fileURLWithPath: bodies.path(task)))
    }

    func end(_ transfer: UInt64, _ failure: EngineFailure? = nil) {
        scheduler.take(
            .ended(
                TransferID(rawValue: transfer),
                EngineOutcome(
                    result: failure.map { .failure($0) } ?? .success(()), head: nil, bodyLength: 0, sent: 0,
                    isCloseDelimited: false, metrics: EngineMetrics())))
    }

    /// A whole body comes and the attempt ends well.
    func finish(_ key: Int64, _ transfer: UInt64) throws {
        answer(transfer)
        try fill(key, 1000)
        end(transfer)
    }

    // MARK: The disk's side

    /// From now on nothing can be written.
    func refuseWrites(_ refuse: Bool = true) throws {
        try store.database.execute("forbid", "PRAGMA query_only = \(refuse ? 1 : 0)")
    }

    /// This turn is written, and its commit fails.
    func spoilTurn() throws {
        try turn.write { store throws(StoreError) in
            try store.database.execute("defer", "PRAGMA defer_foreign_keys = ON")
            try store.database.execute(
                "spoil", "INSERT INTO outbox (session, task, json) VALUES (1, 999999, '')")
        }
    }

    func task(_ key: Int64) throws -> TaskRecord? { try store.task(key: key) }

    func phase(_ key: Int64) throws -> TaskRecord.Phase? { try store.task(key: key)?.phase }

    func events() throws -> [TaskEvent] {
        try store.outbox(session: session.id, limit: 1000).map(\.event)
    }

    /// What a service that begins now would find: this one's files, and nothing of its memory.
    func nextLife(boot: String = "boot") throws -> ServiceHome {
        let next = try Self.newHome()
        let files = FileManager.default
        for suffix in ["", "-wal"] where files.fileExists(atPath: home.database + suffix) {
            try files.copyItem(atPath: home.database + suffix, toPath: next.database + suffix)
        }
        for folder in [(home.bodies, next.bodies), (home.deliveries, next.deliveries)] {
            try files.removeItem(atPath: folder.1)
            try files.copyItem(atPath: folder.0, toPath: folder.1)
        }
        return next
    }
}
