// Time as the scheduler sees it: back-off, timeouts, dates, and a wall clock that is set. Nobody waits here.
import Foundation
import HTTPEngine
import Testing
import TransferProtocol

@testable import TransferService
@testable import TransferStore

@TransferActor
@Suite struct SchedulerTimeTests {
    private static let lost = EngineFailure(.connectionLost, message: "connection reset")
    private static let cancelled = EngineFailure(.cancelled, message: "")
    private static let refused = EngineFailure(.refused, message: "")
    private static let stalled = EngineFailure(.timedOut, message: "nothing came for 60 s")
    nonisolated private static let day = 86_400.0
    nonisolated private static let week = 7 * day
    /// Seconds: a day and a year, forward and back.
    nonisolated private static let steps = [day, -day, 365 * day, -365 * day]

    private let time = ManualTime()

    private func bench(home: ServiceHome? = nil, resourceTimeout: Double = week) throws -> SchedulerBench {
        try SchedulerBench(home: home, resourceTimeout: resourceTimeout, time: time)
    }

    /// Seconds until another attempt starts; nil when none does within an hour.
    private func wait(_ bench: SchedulerBench) async -> Double? {
        await bench.settle()
        let began = time.seconds
        let count = bench.engine.started.count
        while bench.engine.started.count == count {
            guard time.seconds - began < 3600 else { return nil }
            _ = time.passToNextBell(3600)
            await bench.settle()
        }
        return time.seconds - began
    }

    // MARK: Trying again

    @Test func attemptsWithoutProgressAreASecondApartThenTwiceThatUpToAMinute() async throws {
        let bench = try bench()
        _ = try await bench.started()
        for expected in [1.0, 2, 4, 8, 16, 32, 60, 60] {
            bench.end(try #require(bench.engine.started.last), Self.lost)
            let waited = try #require(await wait(bench))
            #expect((expected * 0.799...expected * 1.201).contains(waited), "\(expected) s, roughly")
        }
    }

    @Test func progressTakesTheBackOffToItsBeginning() async throws {
        let bench = try bench()
        let (key, first) = try await bench.started()
        bench.answer(first)
        for _ in 0..<6 {
            bench.end(try #require(bench.engine.started.last), Self.lost)
            _ = try #require(await wait(bench))
        }
        bench.answer(try #require(bench.engine.started.last))
        try bench.fill(key, 400)
        bench.end(try #require(bench.engine.started.last), Self.lost)
        #expect(try #require(await wait(bench)) <= 1.2)
        #expect(bench.engine.range(of: try #require(bench.engine.started.last)) == "bytes=400-")
    }

    @Test func aServerThatIsBusyIsLeftAloneForAsLongAsItSays() async throws {
        let bench = try bench()
        let (key, first) = try await bench.started()
        bench.answer(first)
        try bench.fill(key, 400)
        bench.end(first, Self.lost)
        _ = try #require(await wait(bench))
        bench.answer(2, status: 503, fields: ["Retry-After": "600"])
        bench.end(2, Self.refused)
        #expect(try #require(await wait(bench)) >= 600)
        #expect(bench.engine.range(of: 3) == "bytes=400-", "what was held is held still")
    }

    @Test(arguments: steps)
    func theBackOffDoesNotCareAboutTheWallClock(step: Double) async throws {
        let bench = try bench()
        let (_, transfer) = try await bench.started()
        bench.end(transfer, Self.lost)
        await bench.settle()
        time.set(by: step)
        let waited = try #require(await wait(bench))
        #expect((0.799...1.201).contains(waited))
    }

    @Test func aTimerOfAnEarlierWaitDoesNotEndALaterOne() async throws {
        let bench = try bench()
        let (key, transfer) = try await bench.started()
        bench.end(transfer, Self.lost)
        try bench.scheduler.perform(.suspend, key: key)
        try bench.scheduler.perform(.resume, key: key)
        await bench.settle()
        // The first wait's timer is still on its way; this wait begins anew and is longer.
        bench.end(2, Self.lost)
        #expect(try #require(await wait(bench)) >= 1.6)
    }

    @Test func anAttemptThatEndsWhileSuspendedIsNotFollowedByAnother() async throws {
        let bench = try bench()
        let (key, transfer) = try await bench.started()
        try bench.scheduler.perform(.suspend, key: key)
        bench.end(transfer, Self.lost)
        await bench.settle()
        #expect(try bench.task(key)?.visibleState == .suspended)
        #expect(await wait(bench) == nil)
        try bench.scheduler.perform(.resume, key: key)
        await bench.settle()
        #expect(bench.engine.started.count == 2)
        #expect(try bench.task(key)?.visibleState == .running)
    }

    // MARK: The request timeout

    @Test func theRequestsOwnTimeoutWinsOverTheSessions() async throws {
        let bench = try bench()
        let (_, plain) = try await bench.started()
        let key = try bench.add { $0.request.timeout = 7 }
        try bench.scheduler.perform(.resume, key: key)
        await bench.settle()
        #expect(bench.engine.requests[plain]?.idleTimeout == 60)
        #expect(bench.engine.requests[plain + 1]?.idleTimeout == 7)
    }

    @Test func aTransferThatStalledIsTriedAgainFromItsBytes() async throws {
        let bench = try bench()
        let (key, transfer) = try await bench.started()
        bench.answer(transfer)
        try bench.fill(key, 400)
        bench.end(transfer, Self.stalled)
        let waited = try #require(await wait(bench))
        #expect((0.799...1.201).contains(waited))
        #expect(bench.engine.range(of: 2) == "bytes=400-")
        #expect(try bench.task(key)?.error == nil)
    }

    // MARK: The resource timeout

    @Test func aWeekIsAWeekAcrossThreeLivesOfTheService() async throws {
        let first = try bench()
        let (key, _) = try await first.started()
        await first.pass(3 * Self.day, time)
        let second = try bench(home: first.nextLife())
        second.scheduler.recover()
        await second.pass(3 * Self.day, time)
        let third = try bench(home: second.nextLife())
        third.scheduler.recover()
        await third.pass(0.9 * Self.day, time)
        #expect(third.engine.commands == [.start(1)])
        await third.pass(0.1 * Self.day + 1, time)
        #expect(third.engine.commands == [.start(1), .cancel(1)])
        third.end(1, Self.cancelled)
        await third.settle()
        #expect(try third.task(key)?.error?.code == ErrorCode.timedOut)
    }

    @Test func whatRanOutWhileNoServiceRanIsOverWhenTheNextBegins() async throws {
        let first = try bench()
        let (key, transfer) = try await first.started()
        first.answer(transfer)
        try first.fill(key, 400)
        await first.settle()
        let home = try first.nextLife()
        await first.pass(8 * Self.day, time)
        let second = try bench(home: home)
        second.scheduler.recover()
        await second.settle()
        if let started = second.engine.started.last { second.end(started, Self.cancelled) }
        await second.settle()
        let error = try #require(try second.task(key)?.error)
        #expect(error.code == ErrorCode.timedOut)
        #expect(error.resumeData != nil, "its bytes are kept")
    }

    @Test func aTaskThatWaitsToRetryTimesOutTooAndIsNotTriedAgain() async throws {
        let bench = try bench(resourceTimeout: 20)
        let (key, first) = try await bench.started()
        bench.end(first, Self.lost)
        for _ in 0..<4 {
            _ = try #require(await wait(bench))
            bench.end(try #require(bench.engine.started.last), Self.lost)
        }
        await bench.pass(31, time)
        #expect(try bench.task(key)?.error?.code == ErrorCode.timedOut)
        let count = bench.engine.started.count
        await bench.pass(3600, time)
        #expect(bench.engine.started.count == count)
    }

    @Test(arguments: steps)
    func aClockThatIsSetNeitherEndsATransferNorPutsItsEndOff(step: Double) async throws {
        let bench = try bench()
        let (running, _) = try await bench.started()
        let suspended = try bench.add()
        try bench.scheduler.perform(.resume, key: suspended)
        try bench.scheduler.perform(.suspend, key: suspended)
        await bench.pass(2 * Self.day, time)
        time.set(by: step)
        // Something must look at the clock: the alarm when it went forward, news of any task otherwise.
        let late = try bench.add()
        try bench.scheduler.perform(.resume, key: late)
        await bench.pass(4.9 * Self.day, time)
        for key in [running, suspended, late] {
            #expect(try bench.task(key)?.error == nil)
            #expect(try bench.phase(key) != .canceling)
        }
        await bench.pass(0.2 * Self.day, time)
        #expect(try bench.phase(running) == .canceling)
        #expect(try bench.phase(suspended) == .canceling)
        #expect(try bench.phase(late) == .running)
        await bench.pass(2 * Self.day, time)
        #expect(try bench.phase(late) == .canceling)
    }

    @Test func aStepThatCouldNotBeWrittenIsNoticedAgain() async throws {
        let bench = try bench()
        let (key, _) = try await bench.started()
        await bench.pass(Self.day, time)
        try bench.refuseWrites()
        time.set(by: 30 * Self.day)
        await bench.pass(1, time)
        try bench.refuseWrites(false)
        await bench.pass(5.9 * Self.day, time)
        #expect(try bench.phase(key) == .running)
        await bench.pass(0.2 * Self.day, time)
        #expect(try bench.phase(key) == .canceling)
    }

    // MARK: Begin dates

    @Test func aTaskBeginsAtItsDateAndNotBefore() async throws {
        let bench = try bench()
        let key = try bench.add { [time] in $0.earliestBeginDate = time.date.addingTimeInterval(Self.day) }
        try bench.scheduler.perform(.resume, key: key)
        await bench.pass(Self.day - 1, time)
        #expect(bench.engine.commands.isEmpty)
        await bench.pass(2, time)
        #expect(bench.engine.started.count == 1)
    }

    @Test(arguments: [day, -day])
    func aBeginDateIsADateWhateverTheClockIsSetTo(step: Double) async throws {
        let bench = try bench()
        let key = try bench.add { [time] in
            $0.earliestBeginDate = time.date.addingTimeInterval(2 * Self.day)
        }
        try bench.scheduler.perform(.resume, key: key)
        await bench.settle()
        time.set(by: step)
        await bench.pass(2 * Self.day - step - 1, time)
        #expect(bench.engine.commands.isEmpty)
        await bench.pass(2, time)
        #expect(bench.engine.started.count == 1)
    }
}
