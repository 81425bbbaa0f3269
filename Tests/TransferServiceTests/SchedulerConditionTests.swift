// Tasks that wait for power, for another network, or for their owner's word. Nobody waits here.
import Foundation
import HTTPEngine
import Testing
import TransferProtocol

@testable import TransferService
@testable import TransferStore

@TransferActor
@Suite struct SchedulerConditionTests {
    private let time = ManualTime()
    private let machine = FakeConditions()

    private func bench(
        home: ServiceHome? = nil, limit: Int = 6,
        _ change: @escaping (inout SessionConfigurationRecord) -> Void
    ) throws -> SchedulerBench {
        try SchedulerBench(home: home, limit: limit, time: time, conditions: machine, change: change)
    }

    private func resumed(
        _ bench: SchedulerBench, change: (inout TaskRecord) -> Void = { _ in }
    ) async throws -> Int64 {
        let key = try bench.add(change: change)
        try bench.scheduler.perform(.resume, key: key)
        await bench.settle()
        return key
    }

    // MARK: Power and network

    @Test func aDiscretionaryTaskBeginsWithinHalfAMinuteOfPower() async throws {
        machine.now.isOnBattery = true
        let bench = try bench { $0.isDiscretionary = true }
        let key = try await resumed(bench)
        #expect(bench.engine.commands.isEmpty)
        let waiting = try #require(try bench.task(key))
        #expect(waiting.visibleState == .waiting)
        #expect(waiting.wait == WaitNote(reason: "on battery power", attempt: 1, until: nil))
        #expect(!bench.scheduler.isQuiet(), "the service stays for it")
        await bench.pass(600, time)
        #expect(bench.engine.commands.isEmpty)
        machine.now.isOnBattery = false
        await bench.pass(31, time)
        #expect(bench.engine.started == [1])
        #expect(try bench.task(key)?.wait == nil)
    }

    @Test func powerThatGoesDoesNotStopWhatHasBegun() async throws {
        let bench = try bench { $0.isDiscretionary = true }
        _ = try await resumed(bench)
        machine.now.isOnBattery = true
        await bench.pass(120, time)
        #expect(bench.engine.commands == [.start(1)])
        // It is tried again only on power, though.
        bench.end(1, EngineFailure(.connectionLost, message: ""))
        await bench.pass(120, time)
        #expect(bench.engine.commands == [.start(1)])
        machine.now.isOnBattery = false
        await bench.pass(60, time)
        #expect(bench.engine.started == [1, 2])
    }

    @Test func aNetworkThatBecomesExpensiveStopsATransferAndACheapOneContinuesIt() async throws {
        let bench = try bench { $0.allowsExpensiveNetworkAccess = false }
        let key = try await resumed(bench)
        bench.answer(1)
        try bench.fill(key, 400)
        machine.now.isExpensive = true
        await bench.pass(31, time)
        #expect(bench.engine.commands == [.start(1), .cancel(1)])
        bench.end(1, EngineFailure(.cancelled, message: ""))
        await bench.settle()
        #expect(try bench.task(key)?.wait?.reason == "on a metered network")
        #expect(try bench.task(key)?.failures == 0)
        machine.now.isExpensive = false
        await bench.pass(31, time)
        #expect(bench.engine.range(of: 2) == "bytes=400-")
    }

    @Test func anExpensiveNetworkThatIsGoneBeforeTheTransferHasStoppedDoesNotStrandIt() async throws {
        let bench = try bench { $0.allowsExpensiveNetworkAccess = false }
        let key = try await resumed(bench)
        machine.now.isExpensive = true
        await bench.pass(31, time)
        machine.now.isExpensive = false
        await bench.pass(31, time)
        #expect(bench.engine.commands == [.start(1), .cancel(1)])
        bench.end(1, EngineFailure(.cancelled, message: ""))
        await bench.settle()
        #expect(bench.engine.started == [1, 2])
        #expect(try bench.phase(key) == .running)
    }

    @Test func othersOfItsLaneGoAheadOfOneThatWaits() async throws {
        machine.now.isExpensive = true
        let bench = try bench(limit: 1) { _ in }
        _ = try await resumed(bench) {
            $0.priority = 1
            $0.request.allowsExpensiveNetworkAccess = false
        }
        let plain = try await resumed(bench) { $0.priority = 0 }
        #expect(bench.engine.started.count == 1)
        #expect(try bench.phase(plain) == .running)
    }

    @Test func whenTheyMayTheMostUrgentBeginsFirst() async throws {
        machine.now.isOnBattery = true
        let bench = try bench(limit: 1) { $0.isDiscretionary = true }
        var keys: [Int64] = []
        for priority in [0.25, 1, 0.5] { keys.append(try await resumed(bench) { $0.priority = priority }) }
        machine.now.isOnBattery = false
        await bench.pass(31, time)
        for (count, key) in [keys[1], keys[2], keys[0]].enumerated() {
            #expect(bench.engine.started.count == count + 1)
            #expect(try bench.phase(key) == .running)
            try bench.finish(key, try #require(bench.engine.started.last))
            await bench.settle()
        }
    }

    @Test func nobodyLooksForTasksThatDoNotCareNorAfterTheLastThatDid() async throws {
        let bench = try bench { _ in }
        _ = try await resumed(bench)
        await bench.pass(600, time)
        #expect(machine.looks == 0)
        machine.now.isExpensive = true
        let key = try await resumed(bench) { $0.request.allowsExpensiveNetworkAccess = false }
        await bench.pass(300, time)
        #expect((10...11).contains(machine.looks))
        try bench.scheduler.cancel(key: key, keeping: false) { _ in }
        await bench.pass(60, time)
        let looks = machine.looks
        await bench.pass(3600, time)
        #expect(machine.looks == looks)
    }

    @Test func whatWaitsInOneLifeWaitsInTheNext() async throws {
        machine.now.isOnBattery = true
        let first = try bench { $0.isDiscretionary = true }
        let key = try await resumed(first)
        let second = try bench(home: first.nextLife()) { _ in }
        second.scheduler.recover()
        await second.settle()
        #expect(second.engine.commands.isEmpty)
        #expect(try second.task(key)?.wait?.reason == "on battery power")
        machine.now.isOnBattery = false
        await second.pass(31, time)
        #expect(second.engine.started == [1])
    }

    @Test func theResourceTimeoutEndsAWaitForPowerToo() async throws {
        machine.now.isOnBattery = true
        let bench = try bench {
            $0.isDiscretionary = true
            $0.timeoutForResource = 100
        }
        let key = try await resumed(bench)
        await bench.pass(101, time)
        #expect(try bench.task(key)?.error?.code == ErrorCode.timedOut)
    }

    @Test func aDiskThatTakesNoWritesDelaysAWaitAndLosesNothing() async throws {
        machine.now.isOnBattery = true
        let bench = try bench { $0.isDiscretionary = true }
        let key = try await resumed(bench)
        machine.now.isOnBattery = false
        try bench.refuseWrites()
        await bench.pass(60, time)
        #expect(bench.engine.commands.isEmpty)
        try bench.refuseWrites(false)
        await bench.pass(60, time)
        #expect(bench.engine.started == [1])
        #expect(try bench.phase(key) == .running)
    }

    // MARK: A begin date and its owner

    private func delayed(_ bench: SchedulerBench) async throws -> Int64 {
        try await resumed(bench) { [time] in $0.earliestBeginDate = time.date.addingTimeInterval(60) }
    }

    @Test func anOwnerThatIsThereIsAskedOnceAndTheTaskBeginsWithItsAnswer() async throws {
        let bench = try bench { _ in }
        bench.answersQuestions = true
        let key = try await delayed(bench)
        await bench.pass(59, time)
        #expect(bench.questions.isEmpty)
        await bench.pass(600, time)
        #expect(bench.questions == [key])
        #expect(bench.engine.commands.isEmpty)
        var request = RequestRecord(url: "http://127.0.0.1:8766/other")
        request.headers = [HeaderField("X", "1")]
        try bench.scheduler.begin(key: key, request: request)
        await bench.settle()
        #expect(bench.engine.requests[1]?.url == request.url)
        let task = try #require(try bench.task(key))
        let snapshot = TaskSnapshot(task, session: bench.session)
        #expect(snapshot.request.url == Sample.url)
        #expect(snapshot.currentRequest == request)
        #expect(task.lane == RequestCheck.lane(session: task.session, url: request.url))
        // Attempts that follow are not the owner's business.
        bench.end(1, EngineFailure(.connectionLost, message: ""))
        await bench.pass(60, time)
        #expect(bench.engine.requests[2]?.url == request.url)
        #expect(bench.questions == [key])
    }

    @Test func anAbsentOwnerMeansThatItBegins() async throws {
        let bench = try bench { _ in }
        _ = try await delayed(bench)
        await bench.pass(61, time)
        #expect(bench.engine.started == [1])
        #expect(bench.engine.requests[1]?.url == Sample.url)
    }

    @Test func anOwnerThatLosesItsServiceInTheMiddleOfTheQuestionIsAskedAgain() async throws {
        let first = try bench { _ in }
        first.answersQuestions = true
        let key = try await delayed(first)
        await first.pass(61, time)
        let second = try bench(home: first.nextLife()) { _ in }
        second.scheduler.recover()
        await second.pass(Scheduler.ownersReturn / 2, time)
        #expect(second.engine.started.isEmpty)
        second.answersQuestions = true
        try second.scheduler.askOnceMore(session: second.session.id)
        await second.pass(600, time)
        #expect(second.questions == [key])
        #expect(second.engine.started.isEmpty)
        let other = RequestRecord(url: "http://127.0.0.1:8766/other")
        try second.scheduler.begin(key: key, request: other)
        await second.settle()
        #expect(second.engine.requests[1]?.url == other.url)
    }

    @Test func anOwnerThatDoesNotComeBackMeansThatItBegins() async throws {
        let first = try bench { _ in }
        first.answersQuestions = true
        let key = try await delayed(first)
        await first.pass(61, time)
        let second = try bench(home: first.nextLife()) { _ in }
        second.scheduler.recover()
        await second.pass(Scheduler.ownersReturn + 1, time)
        #expect(second.engine.started == [1])
        // An answer that comes late changes nothing.
        try second.scheduler.begin(key: key, request: RequestRecord(url: "http://127.0.0.1:1/"))
        await second.settle()
        #expect(second.engine.commands == [.start(1)])
        #expect(try second.task(key)?.request.url == Sample.url)
    }

    @Test func aTaskThatWaitsForAnAnswerCanBeSuspendedCancelledAndTimesOut() async throws {
        let bench = try bench { $0.timeoutForResource = 1000 }
        bench.answersQuestions = true
        let keys = [try await delayed(bench), try await delayed(bench), try await delayed(bench)]
        await bench.pass(61, time)
        #expect(bench.questions == keys)
        try bench.scheduler.perform(.suspend, key: keys[0])
        try bench.scheduler.begin(key: keys[0], request: nil)
        #expect(try bench.phase(keys[0]) == .suspended)
        try bench.scheduler.perform(.resume, key: keys[0])
        await bench.settle()
        #expect(bench.engine.started == [1])
        try bench.scheduler.cancel(key: keys[1], keeping: false) { _ in }
        try bench.scheduler.begin(key: keys[1], request: nil)
        #expect(try bench.task(keys[1])?.error?.code == ErrorCode.cancelled)
        await bench.pass(1000, time)
        #expect(try bench.task(keys[2])?.error?.code == ErrorCode.timedOut)
        #expect(bench.engine.started == [1])
    }
}
