// Partial files that wait for resume data, and how long.
import Foundation
import HTTPEngine
import Testing
import TransferProtocol

@testable import TransferService
@testable import TransferStore

@TransferActor
@Suite struct SchedulerPartialsTests {
    private let day = 86_400.0

    private func keep(_ token: String, daysAgo days: Double, in bench: SchedulerBench) throws -> String {
        let path = bench.home.bodies + "/" + token
        try Data("held".utf8).write(to: URL(fileURLWithPath: path))
        try bench.store.keepPartial(
            PartialRecord(token: token, file: token, bytes: 4, created: Date() - days * day))
        return path
    }

    @Test func bytesNobodyCameBackForAreLetGoOfAfterThirtyDays() async throws {
        let bench = try SchedulerBench()
        let young = try keep("young", daysAgo: 29, in: bench)
        let old = try keep("old", daysAgo: 31, in: bench)
        bench.scheduler.recover()
        await bench.settle()
        #expect(try bench.store.partials().map(\.token) == ["young"])
        #expect(FileManager.default.fileExists(atPath: young))
        #expect(!FileManager.default.fileExists(atPath: old))
    }

    @Test func aServiceThatLivesLongLetsGoOfThemWhenItKeepsOthers() async throws {
        let bench = try SchedulerBench()
        let old = try keep("old", daysAgo: 31, in: bench)
        let (key, transfer) = try await bench.started()
        bench.answer(transfer)
        try bench.fill(key, 400)
        try bench.scheduler.cancel(key: key, keeping: true) { _ in }
        bench.end(transfer, EngineFailure(.cancelled, message: ""))
        await bench.settle()
        #expect(try bench.store.partials().map(\.bytes) == [400])
        #expect(!FileManager.default.fileExists(atPath: old))
    }

    @Test func whatCouldNotBeWrittenIsNotRemoved() async throws {
        let bench = try SchedulerBench()
        let old = try keep("old", daysAgo: 31, in: bench)
        try bench.spoilTurn()
        try bench.scheduler.expirePartials(now: Date())
        await bench.settle()
        #expect(try bench.store.partials().count == 1)
        #expect(FileManager.default.fileExists(atPath: old))
    }
}
