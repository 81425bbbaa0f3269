import Foundation
import Testing
import TransferProtocol

@testable import TransferService
@testable import TransferStore

/// A machine with a body file that is only a number.
private struct Bench {
    var machine: TransferMachine
    var bodyLength: Int64 = 0
    var now = Date(timeIntervalSince1970: 1000)

    init(_ task: TaskRecord = Sample.task()) { machine = TransferMachine(task) }

    @discardableResult
    mutating func take(_ input: TransferInput) -> [TransferAction] {
        machine.handle(input, bodyLength: bodyLength, now: now, chance: 0.5)
    }

    /// A download that runs and has `length` of 1000 bytes.
    static func running(_ length: Int64) -> Bench {
        var bench = Bench()
        bench.take(.resume)
        bench.take(.admitted)
        bench.take(.answered(Sample.resumable(), .take(total: 1000)))
        bench.bodyLength = length
        return bench
    }

    var task: TaskRecord { machine.task }
}

private func events(_ actions: [TransferAction]) -> [TaskEvent] {
    actions.compactMap { if case .post(let event) = $0 { event } else { nil } }
}

private func completion(_ actions: [TransferAction]) -> ErrorRecord? {
    if case .completed(let error)? = events(actions).last { error } else { nil }
}

@Suite struct TransferMachineTests {
    @Test func aWishIsOnDiskBeforeAnythingStarts() {
        var bench = Bench()
        #expect(bench.take(.resume) == [.save, .enqueue, .report])
        #expect(bench.take(.admitted) == [.save, .start(.whole), .report])
        #expect(bench.task.phase == .running)
        #expect(bench.task.firstResumed == bench.now)
    }

    @Test func aFinishedDownloadTellsItsFileThenItsEnd() {
        var bench = Bench.running(1000)
        let actions = bench.take(.attemptEnded(.finished, sent: 0))
        #expect(
            actions == [
                .releaseConnection, .save, .post(.downloaded(path: "", bytes: 1000)),
                .post(.completed(error: nil)),
            ])
        #expect(bench.task.phase == .ended)
    }

    @Test func anErrorPageIsAFileWithAStatusAndNoError() {
        var bench = Bench()
        bench.take(.resume)
        bench.take(.admitted)
        bench.take(.answered(Sample.answer(404), .take(total: 9)))
        bench.bodyLength = 9
        #expect(completion(bench.take(.attemptEnded(.finished, sent: 0))) == nil)
        #expect(bench.task.response?.status == 404)
    }

    @Test func aLostConnectionWaitsAndAsksForTheRest() {
        var bench = Bench.running(400)
        let actions = bench.take(.attemptEnded(.lost(code: -1005, reason: "connection reset"), sent: 0))
        #expect(actions == [.releaseConnection, .save, .retryAfter(1), .report])
        #expect(
            bench.task.wait
                == WaitNote(reason: "connection reset", attempt: 2, until: bench.now.addingTimeInterval(1)))
        #expect(bench.take(.retryDue) == [.save, .enqueue])
        #expect(bench.take(.admitted) == [.save, .start(.rest(from: 400, ifRange: "\"v1\"")), .report])
    }

    /// SEMANTICS 14: Retry-After is honoured; a service that begins anew is no reason to ask sooner.
    @Test func theServersRetryAfterOutlivesTheService() {
        var bench = Bench.running(400)
        bench.take(.attemptEnded(.lost(code: -1005, reason: "x"), sent: 0))
        bench.take(.retryDue)
        bench.take(.admitted)
        bench.take(.answered(Sample.answer(503), .retryLater(reason: "busy", after: 3600)))
        #expect(bench.take(.attemptEnded(.refused, sent: 0)).contains(.retryAfter(3600)))
        var next = Bench(bench.task)
        next.now = bench.now + 600
        #expect(next.take(.recovered(isChangedByOwner: false)) == [.retryAfter(3000)])
        #expect(next.task.phase == .waiting)
        var later = Bench(bench.task)
        later.now = bench.now + 3601
        #expect(later.take(.recovered(isChangedByOwner: false)) == [.save, .enqueue])
    }

    @Test func aQuestionThatNobodyCanAnswerKeepsWhatIsHeld() throws {
        var bench = Bench.running(400)
        bench.take(.attemptEnded(.lost(code: -1005, reason: "x"), sent: 0))
        bench.take(.retryDue)
        bench.take(.admitted)
        bench.take(.answered(Sample.answer(401), .challenged))
        let actions = bench.take(.attemptEnded(.refused, sent: 0))
        #expect(actions.contains(.keepBody))
        let error = try #require(completion(actions))
        #expect(error.code == -1011 && error.resumeData != nil)
    }

    @Test func aSuspendedTaskGivesItsConnectionUpAndStaysSuspended() {
        var bench = Bench.running(400)
        bench.take(.suspend)
        #expect(bench.take(.giveWay) == [.stopAttempt])
        #expect(bench.take(.giveWay) == [], "once")
        let actions = bench.take(.attemptEnded(.stopped, sent: 0))
        #expect(actions == [.releaseConnection, .save, .report])
        #expect(bench.task.phase == .suspended)
        bench.take(.resume)
        #expect(bench.take(.admitted).contains(.start(.rest(from: 400, ifRange: "\"v1\""))))
    }

    @Test func oneThatRunsGivesNothingUp() {
        var bench = Bench.running(400)
        #expect(bench.take(.giveWay) == [])
    }

    @Test func backOffGrowsWithoutProgressAndBeginsAnewWithIt() {
        var bench = Bench.running(400)
        var delays: [TransferAction] = []
        for length: Int64 in [400, 400, 400, 500, 500] {
            bench.bodyLength = length
            delays += bench.take(.attemptEnded(.lost(code: -1005, reason: "x"), sent: 0)).filter {
                if case .retryAfter = $0 { true } else { false }
            }
            bench.take(.retryDue)
            bench.take(.admitted)
        }
        #expect(delays == [.retryAfter(1), .retryAfter(2), .retryAfter(4), .retryAfter(1), .retryAfter(2)])
    }

    /// Validators belong to the answer whose bytes are held.
    @Test func aNewWholeAnswersValidatorReplacesTheOldOne() {
        var bench = Bench.running(400)
        bench.take(.attemptEnded(.lost(code: -1005, reason: "x"), sent: 0))
        bench.take(.retryDue)
        bench.take(.admitted)
        var answer = Sample.resumable(2000)
        answer.headers = answer.headers.map { $0.name == "ETag" ? HeaderField("ETag", "\"v2\"") : $0 }
        bench.take(.answered(answer, .take(total: 2000)))
        bench.bodyLength = 300
        bench.take(.attemptEnded(.lost(code: -1005, reason: "x"), sent: 0))
        bench.take(.retryDue)
        #expect(bench.take(.admitted).contains(.start(.rest(from: 300, ifRange: "\"v2\""))))
        #expect(bench.task.response == answer)
    }

    @Test func aContinuedTaskGoesOnShowingItsFirstAnswer() {
        var bench = Bench.running(400)
        bench.take(.attemptEnded(.lost(code: -1005, reason: "x"), sent: 0))
        bench.take(.retryDue)
        bench.take(.admitted)
        bench.take(.answered(Sample.answer(206), .append(end: 1000, total: 1000)))
        #expect(bench.task.response?.status == 200)
    }

    @Test func aTaskMadeFromResumeDataReportsItsOffsetAndShowsItsPart() {
        var task = Sample.task()
        task.held = Sample.held()
        task.resumeOffset = 400
        var bench = Bench(task)
        bench.bodyLength = 400
        bench.take(.resume)
        bench.take(.admitted)
        let actions = bench.take(.answered(Sample.answer(206), .append(end: 1000, total: 1000)))
        #expect(events(actions) == [.resumed(offset: 400, expected: 1000)])
        #expect(bench.task.response?.status == 206)
    }

    @Test func aTaskThatHadToStartAgainReportsNoOffset() {
        var task = Sample.task()
        task.held = Sample.held()
        task.resumeOffset = 400
        var bench = Bench(task)
        bench.bodyLength = 400
        bench.take(.resume)
        bench.take(.admitted)
        #expect(events(bench.take(.answered(Sample.resumable(), .take(total: 1000)))).isEmpty)
    }

    @Test func whatCannotBeCombinedStartsAgainOnceAndThenFails() {
        var bench = Bench.running(400)
        bench.take(.attemptEnded(.lost(code: -1005, reason: "x"), sent: 0))
        bench.take(.retryDue)
        bench.take(.admitted)
        bench.take(.answered(Sample.answer(416), .startAgain(why: "416")))
        let again = bench.take(.attemptEnded(.refused, sent: 0))
        #expect(again == [.releaseConnection, .dropBody, .save, .enqueue, .report])
        bench.bodyLength = 0
        #expect(bench.take(.admitted).contains(.start(.whole)))
        bench.take(.answered(Sample.answer(416), .startAgain(why: "416")))
        #expect(completion(bench.take(.attemptEnded(.refused, sent: 0)))?.code == ErrorCode.badServerResponse)
    }

    @Test func aBusyServerIsAskedAgainWhenItSays() {
        var bench = Bench.running(400)
        bench.take(.attemptEnded(.lost(code: -1005, reason: "x"), sent: 0))
        bench.take(.retryDue)
        bench.take(.admitted)
        bench.take(.answered(Sample.answer(503), .retryLater(reason: "status 503", after: 30)))
        #expect(bench.take(.attemptEnded(.refused, sent: 0)).contains(.retryAfter(30)))
        #expect(bench.task.held == Sample.held())
    }

    @Test func aShortPartIsContinuedAndALongBodyIsNot() {
        var short = Bench.running(900)
        #expect(short.take(.attemptEnded(.finished, sent: 0)).contains(.retryAfter(1)))
        var long = Bench.running(1001)
        #expect(long.take(.attemptEnded(.finished, sent: 0)).contains(.dropBody))
    }

    /// A run of `length` bytes that lost its connection and was answered with a part up to `end`.
    private func continued(_ length: Int64, until end: Int64) -> Bench {
        var bench = Bench.running(length)
        bench.take(.attemptEnded(.lost(code: -1005, reason: "x"), sent: 0))
        bench.take(.retryDue)
        bench.take(.admitted)
        bench.take(.answered(Sample.answer(206), .append(end: end, total: 1000)))
        return bench
    }

    @Test func afterAWholePartOfTheRestTheNextIsAskedForAtOnce() {
        var bench = continued(400, until: 500)
        bench.bodyLength = 500
        #expect(
            bench.take(.attemptEnded(.finished, sent: 0)) == [.releaseConnection, .save, .enqueue, .report])
        #expect(bench.take(.admitted).contains(.start(.rest(from: 500, ifRange: "\"v1\""))))
    }

    @Test func aPartThatGivesNothingOrLessThanItPromisedWaits() {
        for length: Int64 in [400, 450] {
            var bench = continued(400, until: 500)
            bench.bodyLength = length
            #expect(
                bench.take(.attemptEnded(.finished, sent: 0)).contains {
                    if case .retryAfter = $0 { true } else { false }
                })
        }
    }

    @Test func aChunkedPartThatEndsWellBeforeItsRangeDoesIsNotCombined() {
        var bench = Bench.running(400)
        bench.take(.attemptEnded(.lost(code: -1005, reason: "x"), sent: 0))
        bench.take(.retryDue)
        bench.take(.admitted)
        let part = Sample.answer(206, ["Transfer-Encoding": "chunked"])
        bench.take(.answered(part, .append(end: 1000, total: 1000)))
        bench.bodyLength = 991
        #expect(bench.take(.attemptEnded(.finished, sent: 0)).contains(.dropBody))
    }

    @Test func aPartLongerThanItPromisedIsNotCombined() {
        var bench = continued(400, until: 500)
        bench.bodyLength = 500
        #expect(bench.take(.attemptEnded(.refused, sent: 0)).contains(.dropBody))
        #expect(bench.task.held == nil)
    }

    @Test func cancelDiscardsTheBytesAndCancelKeepingKeepsThem() throws {
        var bench = Bench.running(400)
        #expect(bench.take(.cancel(keeping: false, reason: nil)) == [.save, .stopAttempt, .report])
        let plain = bench.take(.attemptEnded(.stopped, sent: 0))
        #expect(plain.contains(.removeBody))
        #expect(completion(plain)?.code == -999)
        #expect(completion(plain)?.resumeData == nil)

        var keeping = Bench.running(400)
        keeping.take(.cancel(keeping: true, reason: nil))
        keeping.bodyLength = 450  // what was still on its way
        let kept = keeping.take(.attemptEnded(.stopped, sent: 0))
        #expect(kept.contains(.keepBody))
        let data = try #require(completion(kept)?.resumeData)
        let description = try #require(ResumeDescription(data))
        #expect(description.received == 450)
        #expect(description.token == Sample.token)
    }

    @Test func nothingIsKeptOfWhatCannotBeContinued() {
        var bench = Bench()
        bench.take(.resume)
        bench.take(.admitted)
        bench.take(.answered(Sample.answer(200, ["Content-Length": "1000"]), .take(total: 1000)))
        bench.bodyLength = 400
        bench.take(.cancel(keeping: true, reason: nil))
        let actions = bench.take(.attemptEnded(.stopped, sent: 0))
        #expect(completion(actions)?.resumeData == nil)
        #expect(actions.contains(.removeBody))
    }

    @Test func aDownloadThatFinishesWhileItIsBeingCancelledIsCancelled() {
        var bench = Bench.running(1000)
        bench.take(.cancel(keeping: false, reason: nil))
        #expect(completion(bench.take(.attemptEnded(.finished, sent: 0)))?.code == -999)
    }

    @Test func aTaskThatWaitsIsCancelledAtOnce() {
        var bench = Bench()
        bench.take(.resume)
        #expect(completion(bench.take(.cancel(keeping: false, reason: 0)))?.cancelledReason == 0)
        #expect(bench.take(.cancel(keeping: false, reason: nil)).isEmpty)
        #expect(bench.take(.resume).isEmpty)
    }

    @Test func suspendingKeepsTheConnectionAndResumingUsesIt() {
        var bench = Bench.running(400)
        #expect(bench.take(.suspend) == [.save, .pauseAttempt, .report])
        #expect(bench.take(.suspend).isEmpty)
        #expect(bench.task.visibleState == .suspended)
        #expect(bench.take(.resume) == [.save, .unpauseAttempt, .report])
    }

    @Test func aSuspendedWaitDoesNotWakeUp() {
        var bench = Bench.running(400)
        bench.take(.attemptEnded(.lost(code: -1005, reason: "x"), sent: 0))
        bench.take(.suspend)
        #expect(bench.take(.retryDue).isEmpty)
        #expect(bench.task.phase == .suspended)
    }

    @Test func theResourceTimeoutEndsATaskAndKeepsItsBytes() {
        var bench = Bench.running(400)
        bench.take(.deadlinePassed)
        let error = completion(bench.take(.attemptEnded(.stopped, sent: 0)))
        #expect(error?.code == -1001)
        #expect(error?.resumeData != nil)
    }

    @Test func whatCannotBeMendedEndsTheTask() {
        var bench = Bench.running(400)
        let full = ErrorRecord(ErrorCode.cannotWriteToFile, "no space left")
        let actions = bench.take(.attemptEnded(.broken(full), sent: 0))
        #expect(completion(actions)?.code == -3003)
        #expect(completion(actions)?.resumeData != nil)
        #expect(actions.contains(.keepBody))
    }

    @Test(arguments: [
        ("ftp://127.0.0.1/x", -1002), ("file:///etc/passwd", -1002), ("http://", -1000), ("a b", -1000),
        ("http://h/%zz", -1000), ("relative/path", -1000),
    ])
    func whatCanNeverBeSentFailsWhenItIsResumed(url: String, code: Int) {
        var task = Sample.task()
        task.request.url = url
        var bench = Bench(task)
        #expect(completion(bench.take(.resume))?.code == code)
    }

    @Test func anUploadsAnswerIsTold() {
        var task = Sample.task(.upload, method: "POST")
        task.source = UploadSource(path: "/dev/null")
        task.source?.size = 5_000_000
        var bench = Bench(task)
        bench.take(.resume)
        bench.take(.admitted)
        bench.take(.answered(Sample.answer(200), .take(total: 27)))
        bench.bodyLength = 27
        let actions = bench.take(.attemptEnded(.finished, sent: 5_000_000))
        #expect(events(actions) == [.answered(path: "", bytes: 27), .completed(error: nil)])
        #expect(bench.task.sent == 5_000_000)
    }

    @Test func anUploadIsSentFromTheBeginningAgain() {
        var bench = Bench(Sample.task(.upload, method: "POST"))
        bench.take(.resume)
        bench.take(.admitted)
        bench.take(.attemptEnded(.lost(code: -1005, reason: "x"), sent: 300))
        bench.take(.retryDue)
        #expect(bench.take(.admitted) == [.save, .start(.whole), .report])
        #expect(bench.task.sent == 0)
    }

    // MARK: A service that starts again

    private func recover(
        _ phase: TaskRecord.Phase, length: Int64, isChangedByOwner: Bool = false,
        change: (inout TaskRecord) -> Void = { _ in }
    ) -> (TaskRecord, [TransferAction]) {
        var task = Sample.task()
        task.phase = phase
        task.held = Sample.held()
        task.firstResumed = Date(timeIntervalSince1970: 10)
        change(&task)
        var bench = Bench(task)
        bench.bodyLength = length
        let actions = bench.take(.recovered(isChangedByOwner: isChangedByOwner))
        return (bench.task, actions)
    }

    @Test func whatRanGoesOnFromTheBytesOnDisk() {
        let (task, actions) = recover(.running, length: 400)
        #expect(actions == [.save, .enqueue])
        #expect(task.phase == .queued)
        #expect(ResumePolicy.plan(for: task, bodyLength: 400) == .rest(from: 400, ifRange: "\"v1\""))
    }

    @Test func whatWasPausedStaysSo() {
        let (task, actions) = recover(.running, length: 400) { $0.isPaused = true }
        #expect(task.phase == .suspended)
        #expect(actions == [.save])
    }

    @Test func whatWasBeingCancelledIsCancelled() {
        let (task, actions) = recover(.canceling, length: 400)
        #expect(task.phase == .ended)
        #expect(completion(actions)?.code == -999)
    }

    /// The service died between the word to stop and the attempt's end.
    @Test(arguments: [
        (TransferInput.cancel(keeping: false, reason: nil), -999, false),
        (.cancel(keeping: true, reason: nil), -999, true),
        (.cancel(keeping: false, reason: 0), -999, false),
        (.deadlinePassed, -1001, true),
    ])
    func aPlannedEndComesOutOfACrashUnchanged(input: TransferInput, code: Int, keeps: Bool) throws {
        var before = Bench.running(400)
        before.take(input)
        // What the next service knows is what was written down.
        let row = try JSONEncoder().encode(TaskDetails(before.task))
        var task = Sample.task()
        task.phase = before.task.phase
        try JSONDecoder().decode(TaskDetails.self, from: row).apply(to: &task)
        var after = Bench(task)
        after.bodyLength = 400
        let error = completion(after.take(.recovered(isChangedByOwner: false)))
        #expect(error?.code == code)
        #expect((error?.resumeData != nil) == keeps)
        if case .cancel(_, let reason) = input { #expect(error?.cancelledReason == reason) }
        #expect(after.task.ending == nil)
    }

    @Test func aCancelThatGivesUpTheBytesOutlivesACrashToo() {
        var bench = Bench.running(400)
        bench.take(.cancel(keeping: true, reason: nil))
        #expect(bench.take(.cancel(keeping: false, reason: nil)) == [.save])
        var after = Bench(bench.task)
        after.bodyLength = 400
        #expect(completion(after.take(.recovered(isChangedByOwner: false)))?.resumeData == nil)
    }

    @Test func aFinishedBodyThatIsWholeStaysFinished() {
        let (task, actions) = recover(.ended, length: 1000) { $0.received = 1000 }
        #expect(task.phase == .ended)
        #expect(actions.isEmpty)
    }

    @Test func aFinishedBodyThatTheMachineLostIsFetchedAgain() {
        let (task, actions) = recover(.ended, length: 600) { $0.received = 1000 }
        #expect(task.phase == .queued)
        #expect(actions == [.retractEvents, .save, .enqueue])
    }

    private let handedOver = HandedOverFile(size: 1000, modifiedSeconds: 1, modifiedNanoseconds: 0)

    @Test func aBodyThatItsOwnerHasChangedIsLeftAlone() {
        let (task, _) = recover(.ended, length: 0, isChangedByOwner: true) {
            $0.received = 1000
            $0.handedOver = handedOver
        }
        #expect(task.phase == .ended)
    }

    /// The owner's file and the body are one file under two names: whatever is done to it is done to both.
    @Test func aBodyThatIsWithItsOwnerIsFetchedAgainIntoAnotherFile() {
        let (task, actions) = recover(.ended, length: 600) {
            $0.received = 1000
            $0.handedOver = handedOver
        }
        #expect(actions == [.dropBody, .retractEvents, .save, .enqueue])
        #expect(task.handedOver == nil)
        #expect(task.received == 0)
    }

    // MARK: No input is fatal

    @Test func everyInputInEveryPhaseIsSurvived() {
        let inputs: [TransferInput] = [
            .resume, .suspend, .cancel(keeping: true, reason: nil), .cancel(keeping: false, reason: 2),
            .admitted,
            .answered(Sample.answer(), .take(total: 1)),
            .answered(Sample.answer(206), .append(end: 1000, total: 1000)),
            .attemptEnded(.finished, sent: 1), .attemptEnded(.refused, sent: 1),
            .attemptEnded(.stopped, sent: 1),
            .attemptEnded(.lost(code: -1005, reason: "x"), sent: 1),
            .attemptEnded(.broken(ErrorRecord(-1, "x")), sent: 1), .retryDue, .deadlinePassed,
            .recovered(isChangedByOwner: false),
        ]
        var tried = 0
        for phase in TaskRecord.Phase.allCases {
            for first in inputs {
                for second in inputs {
                    var task = Sample.task()
                    task.phase = phase
                    task.held = Sample.held()
                    var bench = Bench(task)
                    bench.bodyLength = 400
                    let actions = bench.take(first) + bench.take(second)
                    // A task ends at most once, and its end is the last thing it posts.
                    let ends = events(actions).filter { if case .completed = $0 { true } else { false } }
                    #expect(ends.count <= 1, "\(phase) \(first) \(second)")
                    if !ends.isEmpty { #expect(events(actions).last == ends[0]) }
                    tried += 1
                }
            }
        }
        #expect(tried == 6 * 15 * 15)
    }
}
