// The scheduler with an engine that moves no bytes: what it asks, when, and what is on disk by then.
import Foundation
import HTTPEngine
import Testing
import TransferProtocol

@testable import TransferService
@testable import TransferStore

@TransferActor
@Suite struct SchedulerTests {
    private static let lost = EngineFailure(.connectionLost, message: "connection reset")

    // MARK: Starting

    @Test func nothingStartsBeforeItIsCommitted() async throws {
        let bench = try SchedulerBench()
        let key = try bench.add()
        bench.engine.whenStarting = { [bench] in
            TransferActor.assumeIsolated {
                #expect(!bench.store.isInTransaction)
                #expect((try? bench.phase(key)) == .running)
            }
        }
        try bench.scheduler.perform(.resume, key: key)
        #expect(bench.engine.commands.isEmpty)
        await bench.settle()
        #expect(bench.engine.started.count == 1)
    }

    @Test func aLaneHasItsLimitAndGivesEachPlaceOnOnce() async throws {
        let bench = try SchedulerBench(limit: 2)
        let keys = try (0..<5).map { _ in try bench.add() }
        for key in keys { try bench.scheduler.perform(.resume, key: key) }
        await bench.settle()
        #expect(bench.engine.started == [1, 2])
        try bench.finish(keys[0], 1)
        await bench.settle()
        #expect(bench.engine.started == [1, 2, 3])
        bench.end(2, Self.lost)
        await bench.settle()
        #expect(bench.engine.started == [1, 2, 3, 4])
        try bench.scheduler.cancel(key: keys[2], keeping: false) { _ in }
        await bench.settle()
        #expect(bench.engine.started == [1, 2, 3, 4])
        bench.end(3, EngineFailure(.cancelled, message: ""))
        await bench.settle()
        #expect(bench.engine.started == [1, 2, 3, 4, 5])
        #expect(bench.scheduler.runningCount == 2)
    }

    @Test func everyWayOutOfALaneGivesThePlaceBack() async throws {
        let bench = try SchedulerBench(limit: 1)
        for round in 0..<6 {
            let (key, transfer) = try await bench.started()
            #expect(transfer == UInt64(round + 1))
            switch round % 3 {
            case 0:
                try bench.scheduler.perform(.suspend, key: key)
                await bench.settle()
                try bench.scheduler.perform(.resume, key: key)
                try bench.finish(key, transfer)
            case 1:
                try bench.scheduler.perform(.suspend, key: key)
                try bench.scheduler.cancel(key: key, keeping: true) { _ in }
                await bench.settle()
                bench.end(transfer, EngineFailure(.cancelled, message: ""))
            default:
                try bench.scheduler.perform(.deadlinePassed, key: key)
                await bench.settle()
                bench.end(transfer, EngineFailure(.cancelled, message: ""))
            }
            await bench.settle()
            #expect(try bench.phase(key) == .ended)
            #expect(bench.scheduler.runningCount == 0)
        }
    }

    @Test func aSuspendedTaskKeepsNobodyFromRunning() async throws {
        let bench = try SchedulerBench(limit: 1)
        let (first, transfer) = try await bench.started()
        let second = try bench.add()
        try bench.scheduler.perform(.resume, key: second)
        await bench.settle()
        #expect(bench.engine.started == [transfer])
        try bench.scheduler.perform(.suspend, key: first)
        await bench.settle()
        #expect(bench.engine.commands == [.start(1), .pause(1), .start(2)])
        try bench.scheduler.perform(.resume, key: first)
        await bench.settle()
        #expect(bench.engine.commands.last == .unpause(1))
        // Two run where one may; the next waits for both.
        let third = try bench.add()
        try bench.scheduler.perform(.resume, key: third)
        try bench.finish(first, 1)
        await bench.settle()
        #expect(bench.engine.started == [1, 2])
        try bench.finish(second, 2)
        await bench.settle()
        #expect(bench.engine.started == [1, 2, 3])
    }

    @Test func aSuspendedConnectionDoesNotKeepTheServiceAwake() async throws {
        let bench = try SchedulerBench()
        let (key, _) = try await bench.started()
        #expect(!bench.scheduler.isQuiet())
        try bench.scheduler.perform(.suspend, key: key)
        await bench.settle()
        #expect(bench.scheduler.isQuiet())
    }

    // MARK: Cancelling

    @Test func resumeDataIsAnsweredWhenTheLastBytesAreThere() async throws {
        let bench = try SchedulerBench()
        let (key, transfer) = try await bench.started()
        bench.answer(transfer)
        try bench.fill(key, 400)
        var replies: [Data?] = []
        try bench.scheduler.cancel(key: key, keeping: true) { replies.append(try? $0.get()) }
        await bench.settle()
        #expect(replies.isEmpty)
        #expect(bench.engine.commands.last == .cancel(transfer))
        try bench.fill(key, 500)
        bench.end(transfer, EngineFailure(.cancelled, message: ""))
        #expect(replies.isEmpty, "the end is not on disk yet")
        await bench.settle()
        let data = try #require(replies.first ?? nil)
        #expect(ResumeDescription(data)?.received == 500)
        #expect(try bench.store.partials().map(\.bytes) == [500])
        #expect(replies.count == 1)
    }

    @Test func whatIsHeldIsSaidOfTheBytesThatAreThere() async throws {
        let bench = try SchedulerBench()
        let (key, transfer) = try await bench.started()
        try bench.scheduler.cancel(key: key, keeping: true) { _ in }
        // The answer was on its way before the engine heard of the cancelling.
        bench.answer(transfer, length: 2000)
        try bench.fill(key, 400)
        bench.end(transfer, EngineFailure(.cancelled, message: ""))
        await bench.settle()
        let data = try #require(try bench.task(key)?.error?.resumeData)
        #expect(ResumeDescription(data)?.held.total == 2000)
    }

    // MARK: The end

    @Test func theEndIsPostedWithTheStateItReports() async throws {
        let bench = try SchedulerBench()
        let (key, transfer) = try await bench.started()
        try bench.finish(key, transfer)
        #expect(bench.posted == 0)
        await bench.settle()
        #expect(try bench.phase(key) == .ended)
        #expect(try bench.events() == [.downloaded(path: "", bytes: 1000), .completed(error: nil)])
        #expect(bench.posted == 2)
        #expect(bench.quiets >= 1)
    }

    @Test func aForgottenTaskLeavesNothing() async throws {
        let bench = try SchedulerBench()
        let (key, transfer) = try await bench.started()
        try bench.finish(key, transfer)
        await bench.settle()
        let task = try #require(try bench.task(key))
        try bench.scheduler.forget(task)
        await bench.settle()
        #expect(try bench.task(key) == nil)
        #expect(try bench.events().isEmpty)
        #expect(!FileManager.default.fileExists(atPath: bench.bodies.path(task)))
    }

    @Test func anEndedTaskIsNotEndedAgain() async throws {
        let bench = try SchedulerBench()
        let (key, transfer) = try await bench.started()
        try bench.finish(key, transfer)
        await bench.settle()
        let quiets = bench.quiets
        try bench.scheduler.perform(.resume, key: key)
        await bench.settle()
        #expect(bench.quiets == quiets)
    }

    // MARK: Everything is full

    @Test func suspendedTasksMakeRoomWhenEverythingIsFull() async throws {
        let bench = try SchedulerBench(connections: 3)
        var keys: [Int64] = []
        for _ in 0..<3 {
            let (key, _) = try await bench.started()
            try bench.scheduler.perform(.suspend, key: key)
            keys.append(key)
        }
        let next = try bench.add()
        try bench.scheduler.perform(.resume, key: next)
        await bench.settle()
        #expect(bench.engine.started.count == 3)
        #expect(bench.engine.commands.last == .cancel(1), "the oldest one's")
        bench.end(1, EngineFailure(.cancelled, message: ""))
        await bench.settle()
        #expect(bench.engine.started.count == 4)
        #expect(try bench.phase(keys[0]) == .suspended)
        #expect(try bench.phase(next) == .running)
    }
}
