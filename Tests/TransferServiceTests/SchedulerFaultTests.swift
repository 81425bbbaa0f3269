// The scheduler when the disk takes no writes, when rows cannot be read, and in its next life.
import Foundation
import HTTPEngine
import Testing
import TransferProtocol

@testable import TransferService
@testable import TransferStore

@TransferActor
@Suite struct SchedulerFaultTests {
    /// Whether the write itself fails, or the commit at the turn's end.
    enum Fault: CaseIterable { case write, commit }

    private func inject(_ fault: Fault, _ bench: SchedulerBench) throws {
        switch fault {
        case .write: try bench.refuseWrites()
        case .commit: try bench.spoilTurn()
        }
    }

    private func mend(_ fault: Fault, _ bench: SchedulerBench) throws {
        if fault == .write { try bench.refuseWrites(false) }
    }

    @Test(arguments: Fault.allCases)
    func anEndThatCouldNotBeWrittenIsWrittenLater(fault: Fault) async throws {
        let bench = try SchedulerBench(limit: 1)
        let (key, transfer) = try await bench.started()
        try inject(fault, bench)
        try bench.finish(key, transfer)
        bench.turn.close()
        #expect(bench.posted == 0)
        #expect(try bench.phase(key) == .running)
        #expect(!bench.scheduler.isQuiet())
        try await Task.sleep(for: .milliseconds(120))
        try mend(fault, bench)
        try await bench.waitUntil { try bench.phase(key) == .ended }
        await bench.settle()
        #expect(try bench.events() == [.downloaded(path: "", bytes: 1000), .completed(error: nil)])
        #expect(bench.engine.started == [transfer], "the bytes were not asked for again")
        // Its place is free, once.
        let (_, next) = try await bench.started()
        #expect(next == transfer + 1)
        #expect(bench.scheduler.runningCount == 1)
    }

    @Test(arguments: Fault.allCases)
    func anUploadWhoseEndCouldNotBeWrittenIsNotSentTwice(fault: Fault) async throws {
        let bench = try SchedulerBench()
        let (key, transfer) = try await bench.started(.upload)
        try inject(fault, bench)
        bench.end(transfer)
        await bench.settle()
        try mend(fault, bench)
        try await bench.waitUntil { try bench.phase(key) == .ended }
        #expect(bench.engine.started == [transfer])
    }

    @Test(arguments: Fault.allCases)
    func aStartThatCouldNotBeWrittenHasNotBegunAndTakesNoPlace(fault: Fault) async throws {
        let bench = try SchedulerBench(limit: 1)
        let key = try bench.add()
        await bench.settle()
        for _ in 0..<3 {
            try inject(fault, bench)
            try? bench.scheduler.perform(.resume, key: key)
            await bench.settle()
            try mend(fault, bench)
            #expect(bench.engine.commands.isEmpty)
            #expect(bench.scheduler.runningCount == 0)
            #expect(try bench.phase(key) == .suspended)
        }
        try bench.scheduler.perform(.resume, key: key)
        await bench.settle()
        #expect(bench.engine.started.count == 1)
    }

    @Test(arguments: Fault.allCases)
    func aQueuedTaskStartsWhenTheDiskTakesWritesAgain(fault: Fault) async throws {
        let bench = try SchedulerBench(limit: 1)
        let (first, transfer) = try await bench.started()
        let second = try bench.add()
        try bench.scheduler.perform(.resume, key: second)
        await bench.settle()
        bench.answer(transfer)
        try bench.fill(first, 1000)
        await bench.settle()
        // It ends, and its successor's start shares the turn that fails.
        try inject(fault, bench)
        bench.end(transfer)
        await bench.settle()
        if fault == .write { #expect(bench.engine.started == [transfer]) }
        try mend(fault, bench)
        try await bench.waitUntil { bench.engine.started.count == 2 }
        #expect(try bench.phase(first) == .ended)
        #expect(bench.scheduler.runningCount == 1)
    }

    @Test(arguments: Fault.allCases)
    func aCancelThatCouldNotBeWrittenIsRefusedAndTheTaskGoesOn(fault: Fault) async throws {
        let bench = try SchedulerBench()
        let (key, transfer) = try await bench.started()
        var failures = 0
        try inject(fault, bench)
        do {
            try bench.scheduler.cancel(key: key, keeping: true) { result in
                if case .failure = result { failures += 1 }
            }
        } catch { failures += 1 }
        await bench.settle()
        try mend(fault, bench)
        #expect(failures == 1)
        #expect(!bench.engine.commands.contains(.cancel(transfer)))
        try bench.finish(key, transfer)
        await bench.settle()
        #expect(try bench.task(key)?.error == nil)
        #expect(try bench.phase(key) == .ended)
    }

    @Test func halfOfWhatBelongsTogetherIsNeverWritten() async throws {
        let time = ManualTime()
        let bench = try SchedulerBench(time: time)
        let (key, transfer) = try await bench.started()
        // The record can be written, its event cannot.
        try bench.store.database.execute(
            "forbid",
            "CREATE TEMP TRIGGER no BEFORE INSERT ON main.outbox BEGIN SELECT RAISE(ABORT, 'no'); END")
        try bench.finish(key, transfer)
        await bench.settle()
        #expect(try bench.phase(key) == .running)
        #expect(try bench.events().isEmpty)
        try bench.store.database.execute("allow", "DROP TRIGGER no")
        await bench.pass(1, time)
        #expect(try bench.events().count == 2)
        #expect(try bench.phase(key) == .ended)
    }

    @Test func aTaskWhoseRowIsGoneGivesItsPlaceBack() async throws {
        let bench = try SchedulerBench(limit: 1)
        let (key, transfer) = try await bench.started()
        try bench.store.remove(task: key)
        bench.answer(transfer)
        await bench.settle()
        #expect(bench.engine.commands.last == .cancel(transfer))
        let (_, next) = try await bench.started()
        #expect(next == transfer + 1)
    }

    // MARK: Rows that cannot be read

    @Test(arguments: [("completed", 2), ("downloaded", 2)])
    func anEndThatCannotBeReadIsSaidAgain(lost: String, count: Int) async throws {
        let bench = try SchedulerBench()
        let (key, transfer) = try await bench.started()
        try bench.finish(key, transfer)
        await bench.settle()
        try bench.store.database.execute(
            "damage", "UPDATE outbox SET json = 'x' WHERE json LIKE '%\(lost)%'")
        _ = try bench.events()
        await bench.settle()
        #expect(try bench.events() == [.downloaded(path: "", bytes: 1000), .completed(error: nil)])
        #expect(bench.looks == 1)
        #expect(bench.store.quarantined.isEmpty)
    }

    @Test func anEndThatWasLostBeforeACrashIsSaidInTheNextLife() async throws {
        let bench = try SchedulerBench()
        let (key, transfer) = try await bench.started()
        try bench.finish(key, transfer)
        await bench.settle()
        try bench.store.retractEvents(task: key)
        let next = try SchedulerBench(home: bench.nextLife())
        next.scheduler.recover()
        await next.settle()
        #expect(try next.events() == [.completed(error: nil)])
    }

    // MARK: The next life

    @Test func whatRanGoesOnAndWhatWaitedIsTriedAtOnce() async throws {
        let bench = try SchedulerBench()
        let (running, transfer) = try await bench.started()
        bench.answer(transfer)
        try bench.fill(running, 400)
        let (_, other) = try await bench.started()
        bench.end(other, EngineFailure(.connectionLost, message: ""))
        let (paused, _) = try await bench.started()
        try bench.scheduler.perform(.suspend, key: paused)
        await bench.settle()

        let next = try SchedulerBench(home: bench.nextLife())
        next.scheduler.recover()
        await next.settle()
        #expect(next.engine.started.count == 2)
        #expect(next.engine.range(of: 1) == "bytes=400-")
        #expect(try next.phase(paused) == .suspended)
    }

    @Test func underAnotherBootOnlySyncedBytesAreGoneOnFrom() async throws {
        let bench = try SchedulerBench(boot: "one")
        let (key, transfer) = try await bench.started()
        bench.answer(transfer)
        try bench.fill(key, 400)
        bench.scheduler.take(.synced(TransferID(rawValue: transfer), offset: 300))
        await bench.settle()
        let next = try SchedulerBench(home: bench.nextLife(), boot: "two")
        next.scheduler.recover()
        await next.settle()
        #expect(next.engine.range(of: 1) == "bytes=300-")
    }

    @Test func underAnotherBootAnOwnersFileIsNotTouched() async throws {
        let bench = try SchedulerBench(boot: "one")
        let (key, transfer) = try await bench.started()
        try bench.finish(key, transfer)
        await bench.settle()
        let home = try bench.nextLife()
        let next = try SchedulerBench(home: home, boot: "two")
        // Handed over, and moved to where it belongs; then the power went.
        let task = try #require(try next.task(key))
        let link = try next.bodies.handOver(task, client: "tests")
        try next.scheduler.noteHandedOver(try #require(next.bodies.fingerprint(task)), task: task)
        next.turn.close()
        try next.store.saveProgress(key: key, syncedOffset: 200, boot: "one")
        let place = home.folder + "/kept"
        #expect(rename(link, place) == 0)

        next.scheduler.recover()
        await next.settle()
        #expect(try Data(contentsOf: URL(fileURLWithPath: place)).count == 1000)
        #expect(next.engine.started.count == 1)
        #expect(next.engine.range(of: 1) == nil)
    }

    @Test func aDiskThatTakesNoWritesAtTheStartIsTriedAgain() async throws {
        let bench = try SchedulerBench()
        let (key, _) = try await bench.started()
        let next = try SchedulerBench(home: bench.nextLife())
        try next.refuseWrites()
        next.scheduler.recover()
        await next.settle()
        #expect(next.engine.commands.isEmpty)
        try next.refuseWrites(false)
        try await next.waitUntil { next.engine.started.count == 1 }
        #expect(try next.phase(key) == .running)
    }

    // MARK: Dates

    @Test func theResourceTimeoutEndsTheTaskAndRingsOnce() async throws {
        let bench = try SchedulerBench(resourceTimeout: 0.2)
        let (key, transfer) = try await bench.started()
        try await bench.waitUntil { bench.engine.commands.contains(.cancel(transfer)) }
        try await Task.sleep(for: .milliseconds(200))
        #expect(bench.engine.commands == [.start(transfer), .cancel(transfer)])
        bench.end(transfer, EngineFailure(.cancelled, message: ""))
        await bench.settle()
        #expect(try bench.task(key)?.error?.code == ErrorCode.timedOut)
    }

    @Test(arguments: [1e300, -1e300, 1e18])
    func anImpossibleDateIsNoTrap(seconds: Double) async throws {
        let bench = try SchedulerBench()
        let key = try bench.add()
        var update = UpdateTask(identifier: 1)
        update.earliestBeginDate = Date(timeIntervalSince1970: seconds)
        try bench.scheduler.update(update, key: key)
        try bench.scheduler.perform(.resume, key: key)
        await bench.settle()
        #expect(bench.engine.started.count == (seconds < 0 ? 1 : 0))
    }
}
