// Tasks whose answers are read as they come, and readers that leave after their owner's connection. Time is
// the test's.
import Foundation
import HTTPEngine
import Testing
import TransferProtocol

@testable import TransferService
@testable import TransferStore

@TransferActor
@Suite struct ReaderTests {
    private let time = ManualTime()

    @Test func aReaderThatLeavesAMomentAfterItsConnectionIsNoticed() async throws {
        let bench = try SchedulerBench(time: time)
        let pipe = bench.home.folder + "/1.pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        // Its writing end is never left without a reader: this one is the process that is being killed.
        let reader = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        let key = try bench.add(.data) { $0.pipe = pipe }
        try bench.scheduler.perform(.resume, key: key)
        await bench.settle()

        try bench.scheduler.ownerLeft(session: bench.session.id)
        for _ in 0..<20 {
            #expect(time.passToNextBell(60) <= 5, "looked at again within 5 s")
            await bench.settle()
        }
        #expect(bench.scheduler.liveTask(key)?.phase == .running)

        close(reader)
        _ = time.passToNextBell(60)
        await bench.settle()
        bench.end(try #require(bench.engine.started.last), EngineFailure(.cancelled, message: ""))
        await bench.settle()
        #expect(try bench.task(key)?.error?.code == -997)
        #expect(time.passToNextBell(60) == 60, "and then nothing is looked at any more")
    }

    @Test func anotherRequestLeavesThePipeWhereItsReaderIs() async throws {
        let bench = try SchedulerBench(time: time)
        bench.answersQuestions = true
        let pipe = bench.home.folder + "/1.pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        let key = try bench.add(.data) {
            $0.pipe = pipe
            $0.earliestBeginDate = bench.scheduler.time.date
        }
        try bench.scheduler.perform(.resume, key: key)
        await bench.settle()
        #expect(bench.questions == [key])
        var other = RequestRecord(url: Sample.url)
        other.headers = [HeaderField("X-New", "yes")]
        try bench.scheduler.begin(key: key, request: other)
        await bench.settle()
        #expect(bench.engine.started.count == 1)
        #expect(FileManager.default.fileExists(atPath: pipe))
    }
}
