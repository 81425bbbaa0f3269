// An engine with a folder of its own, and everything it reported. Each test has one and owns all in it.
import Foundation
import Testing

@testable import HTTPEngine

final class EngineWorld: Sendable {
    let engine: HTTPEngine
    let folder: String
    let log: ReportLog

    init() {
        let log = ReportLog()
        self.log = log
        engine = HTTPEngine { log.add($0) }
        folder = NSTemporaryDirectory() + "engine-\(UUID().uuidString)"
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit {
        engine.shutdown()
        try? FileManager.default.removeItem(atPath: folder)
    }

    var sink: String { folder + "/body" }

    func request(_ url: String) -> EngineRequest {
        EngineRequest(url: url, sink: sink, idleTimeout: 60, connectTimeout: 60)
    }

    func run(_ request: EngineRequest, _ number: UInt64 = 1) async -> EngineOutcome {
        engine.start(TransferID(rawValue: number), request)
        return await log.outcome(number)
    }

    func run(_ url: String) async -> EngineOutcome { await run(request(url)) }

    func body(_ path: String? = nil) -> [UInt8]? {
        FileManager.default.contents(atPath: path ?? sink).map(Array.init)
    }

    func file(_ name: String, _ bytes: [UInt8]) -> UploadFile {
        let path = folder + "/" + name
        _ = FileManager.default.createFile(atPath: path, contents: Data(bytes))
        return UploadFile.current(path)
    }
}

extension UploadFile {
    static func current(_ path: String) -> UploadFile {
        var status = stat()
        stat(path, &status)
        return UploadFile(
            path: path, device: UInt64(status.st_dev), inode: UInt64(status.st_ino),
            size: Int64(status.st_size),
            modifiedSeconds: Int64(status.st_mtim.tv_sec), modifiedNanoseconds: Int64(status.st_mtim.tv_nsec))
    }
}

final class ReportLog: @unchecked Sendable {
    // Unchecked: `lock` guards all of it.
    private let lock = NSLock()
    private var kept: [EngineReport] = []
    private var outcomes: [UInt64: [EngineOutcome]] = [:]

    func add(_ report: EngineReport) {
        lock.withLock {
            kept.append(report)
            if case .ended(let id, let outcome) = report {
                outcomes[id.rawValue, default: []].append(outcome)
            }
        }
    }

    var reports: [EngineReport] { lock.withLock { kept } }

    func endings(_ number: UInt64 = 1) -> [EngineOutcome] { lock.withLock { outcomes[number] ?? [] } }

    var endingCount: Int { lock.withLock { outcomes.values.reduce(0) { $0 + $1.count } } }

    var heads: [EngineHead] {
        reports.compactMap { if case .head(_, let head, _) = $0 { head } else { nil } }
    }

    var progress: [[TransferProgress]] {
        reports.compactMap { if case .progress(let news) = $0 { news } else { nil } }
    }

    var synced: [Int64] {
        reports.compactMap { if case .synced(_, let offset) = $0 { offset } else { nil } }
    }

    func outcome(_ number: UInt64 = 1) async -> EngineOutcome {
        await until("transfer \(number) ended") { !endings(number).isEmpty }
        return endings(number).first
            ?? EngineOutcome.neverStarted(
                EngineRequest(url: "", sink: ""), EngineFailure(.internal, message: "test waited in vain"))
    }
}

/// Polls until the condition holds; fails the test after a minute: a bound, no expectation.
func until(_ what: String, _ condition: () -> Bool) async {
    let deadline = MonotonicClock.now + 60
    while !condition() {
        if MonotonicClock.now > deadline {
            Issue.record("waited in vain until \(what)")
            return
        }
        try? await Task.sleep(nanoseconds: 3_000_000)
    }
}

/// A value that threads share.
final class Box<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var held: Value

    init(_ value: Value) { held = value }

    var value: Value { lock.withLock { held } }

    func change(_ body: (inout Value) -> Void) { lock.withLock { body(&held) } }
}
