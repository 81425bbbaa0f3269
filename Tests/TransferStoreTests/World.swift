// What a store test needs: a folder of its own, and records that are quick to make.
import Foundation
import Testing
import TransferProtocol

@testable import TransferStore

/// A folder that lives as long as the test's object.
final class World {
    let folder: String
    var path: String { folder + "/transfers.sqlite" }

    init() throws {
        var template = Array("/tmp/store-test-XXXXXX".utf8CString)
        let made = try #require(mkdtemp(&template))
        folder = String(cString: made)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func open() throws -> TransferStore { try TransferStore.open(at: path).store }

    /// The database and its journal as a crash at this moment would leave them, under another name.
    func crashed() throws -> String {
        let copy = folder + "/crashed.sqlite"
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
        return copy
    }

    /// Runs SQL past the store, as damage or a person would.
    func edit(_ sql: String) throws {
        try Database(path: path).execute("edit", sql)
    }

    var files: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder).sorted()) ?? [] }
}

/// A moment without fractions, so that it is the same in every representation.
let noon = Date(timeIntervalSince1970: 1_800_000_000)

extension TransferStore {
    func makeSession(_ identifier: String = "nightly") throws -> SessionRecord {
        try makeSession(client: "tests", identifier: identifier, configuration: SessionConfigurationRecord())
    }

    /// Inserts a task of the session with the next identifier.
    @discardableResult
    func add(
        to session: SessionRecord, lane: String = "1 http://a", phase: TaskRecord.Phase = .queued,
        priority: Double = 0.5, begin: Date? = nil, firstResumed: Date? = nil
    ) throws -> TaskRecord {
        let next = try #require(try self.session(id: session.id)).nextTaskIdentifier
        var task = TaskRecord(
            session: session.id, configuration: session.configuration, identifier: next,
            token: "token-\(next)", kind: .download, lane: lane,
            request: RequestRecord(url: "http://a/\(next)"), created: noon)
        task.phase = phase
        task.priority = priority
        task.earliestBeginDate = begin
        task.firstResumed = firstResumed
        try insert(&task)
        return task
    }
}

/// A task in which no member has the value it begins with.
func fullTask(session: SessionRecord, identifier: Int) -> TaskRecord {
    var task = TaskRecord(
        session: session.id, configuration: session.configuration, identifier: identifier,
        token: "full-\(identifier)", kind: .upload, lane: "1 https://host",
        request: RequestRecord(
            url: "https://host/a%20b?q=\"ü\"", method: "PUT", headers: [HeaderField("X-Empty", "")],
            timeout: 12.5, bodyFile: "/in/1"),
        created: noon)
    let response = ResponseRecord(
        url: "https://host/c", status: 206, version: "HTTP/2", headers: [HeaderField("ETag", "\"x\"")])
    task.phase = .waiting
    task.description = "a\nb\u{0}c 🐟"
    task.source = UploadSource(path: "/etc/passwd")
    task.priority = 0.1
    task.earliestBeginDate = noon + 0.1
    task.clientExpectsToSend = 1
    task.clientExpectsToReceive = 2
    task.firstResumed = noon + 1.3
    task.isPaused = true
    task.failures = 3
    task.wait = WaitNote(reason: "connection refused", attempt: 4, until: noon + 60.7)
    task.held = HeldBody(response: response, total: 1 << 60)
    task.hasStartedAgain = true
    task.hasBegun = true
    task.isAskedToBegin = true
    task.originalRequest = RequestRecord(url: "http://h/before", method: "GET")
    task.resumeOffset = 4
    task.received = Int64.max
    task.sent = 6
    task.expected = 7
    task.syncedOffset = 8
    task.boot = "5f0c-boot"
    task.response = response
    task.error = ErrorRecord(-1001, "timed out", url: "https://host", path: "/x")
    task.error?.resumeData = Data([0, 255])
    task.ending = PlannedEnd(error: ErrorRecord(-999, "cancelled"), keeping: true)
    task.handedOver = HandedOverFile(size: 1, modifiedSeconds: 2, modifiedNanoseconds: 3)
    task.pipe = "/in/1.pipe"
    task.retryRule = .never
    task.transactions = [
        TransactionRecord(url: "http://h/", method: "GET", start: Date(timeIntervalSince1970: 5), end: 1)
    ]
    task.ended = Date(timeIntervalSince1970: 6)
    task.asks = AskNote(kind: .challenge, holdsAnswer: true)
    task.begunInWake = true
    task.heldUntil = noon + 7
    task.notBefore = noon + 8
    return task
}

/// The error a call of the store throws; fails the test when it throws none.
func storeError(_ body: () throws -> Void, at location: SourceLocation = #_sourceLocation) -> StoreError? {
    do {
        try body()
        Issue.record("nothing was thrown", sourceLocation: location)
    } catch let error as StoreError {
        return error
    } catch {
        Issue.record(error, sourceLocation: location)
    }
    return nil
}
