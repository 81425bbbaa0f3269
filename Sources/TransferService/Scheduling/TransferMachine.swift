// The life of one task as a pure machine: (state, input) → (state, actions). It decides everything that is
// hard about pause, retry, resume, cancel and crash, and does nothing: the scheduler carries out what it
// returns, in order, after the record is on disk.
import Foundation
import TransferProtocol
import TransferStore

struct TransferMachine: Sendable {
    private(set) var task: TaskRecord
    private var attempt: Attempt?
    /// Where the body file would be found if it were kept for resume data.
    private var keptPath: String?

    /// What lasts as long as one attempt and need not survive the service.
    private struct Attempt: Sendable {
        var verdict: Verdict?
        var receivedBefore: Int64
        /// The end of the body is marked: what ends well has ended where its sender meant it to.
        var isChunked = false
        /// It is being stopped, for a while; what comes after it.
        var interruption: Interruption?
    }

    private enum Interruption: Sendable {
        case wait(reason: String)
        /// What was in the way has gone meanwhile.
        case goOn
    }

    init(_ task: TaskRecord) { self.task = task }

    /// Its attempt is being stopped, for a while.
    var isBeingInterrupted: Bool { attempt?.interruption != nil }

    /// Counters move too often to be inputs; they decide nothing.
    mutating func count(received: Int64?, sent: Int64?) {
        if let received { task.received = received }
        if let sent { task.sent = max(task.sent, sent) }
    }

    /// Members an app may change at any time.
    mutating func apply(_ update: UpdateTask) {
        if let description = update.description { task.description = description }
        if let priority = update.priority { task.priority = priority }
        if let date = update.earliestBeginDate { task.earliestBeginDate = date }
        if let count = update.clientExpectsToSend { task.clientExpectsToSend = count }
        if let count = update.clientExpectsToReceive { task.clientExpectsToReceive = count }
    }

    /// It is being resumed by a program that descends from a wake.
    mutating func hold(until date: Date?) {
        task.begunInWake = true
        task.heldUntil = date
    }

    /// The person has come: nothing is held any more.
    mutating func release() { task.heldUntil = nil }

    /// From now on lengths count under this boot of the machine.
    mutating func noteBoot(_ boot: String) { task.boot = boot }

    mutating func noteSynced(offset: Int64, boot: String) {
        task.syncedOffset = offset
        task.boot = boot
    }

    /// The wall clock was set. The resource timeout is a length of time, and goes on from where it was.
    mutating func noteClockStep(_ seconds: Double, now: Date) {
        guard let resumed = task.firstResumed else { return }
        task.firstResumed = min(resumed.addingTimeInterval(seconds), now)
    }

    mutating func noteHandedOver(_ file: HandedOverFile) { task.handedOver = file }

    /// - Parameters:
    ///   - bodyLength: body bytes on disk that can be trusted, now.
    ///   - now: the wall clock, for dates that people see and for the first resume.
    ///   - chance: a random number in 0..<1 for the back-off's spread.
    ///   - keptPath: where the body file would be found if it were kept for resume data.
    mutating func handle(
        _ input: TransferInput, bodyLength: Int64, now: Date, chance: Double, keptPath: String? = nil
    ) -> [TransferAction] {
        self.keptPath = keptPath
        defer { task.ended = task.phase == .ended ? task.ended ?? now : nil }
        switch input {
        case .resume: return resume(now)
        case .suspend: return suspend()
        case .cancel(let keeping, let reason):
            return cancel(keeping: keeping, reason: reason, bodyLength: bodyLength)
        case .refuse(let reason):
            if task.firstResumed == nil { task.firstResumed = now }
            return cancel(keeping: true, reason: reason, bodyLength: bodyLength)
        case .admitted: return admitted(bodyLength: bodyLength)
        case .answered(let head, let verdict): return answered(head, verdict)
        case .attemptEnded(let end, let sent, let transactions):
            task.note(transactions)
            count(received: bodyLength, sent: sent)
            return ended(end, bodyLength: bodyLength, now: now, chance: chance)
        case .retryDue: return retryDue()
        case .asked: return asked()
        case .begins(let request): return begins(request)
        case .heldBack(let reason, let isNews): return heldBack(reason, isNews)
        case .letGo: return letGo()
        case .giveWay: return giveWay()
        case .replied(let reply):
            return replied(reply, bodyLength: bodyLength, now: now, chance: chance)
        case .deadlinePassed: return deadlinePassed(bodyLength: bodyLength)
        case .readerLeft: return readerLeft(bodyLength: bodyLength)
        case .recovered(let isChangedByOwner):
            return recovered(bodyLength: bodyLength, isChangedByOwner: isChangedByOwner, now: now)
        case .eventsLost(let count, let left): return MissingEvents.actions(task, count: count, left: left)
        }
    }

    // MARK: Wishes of the app

    private mutating func resume(_ now: Date) -> [TransferAction] {
        switch task.phase {
        case .suspended:
            let isFirst = task.firstResumed == nil
            if isFirst { task.firstResumed = now }
            if isFirst, let error = RequestCheck.error(for: task) { return end(error, keeping: false) }
            task.phase = .queued
            return forgetAnswer() + [.save, .enqueue, .report]
        case .running where task.isPaused:
            task.isPaused = false
            return [.save, .unpauseAttempt, .report]
        case .running, .queued, .waiting, .canceling, .ended:
            return []
        }
    }

    private mutating func suspend() -> [TransferAction] {
        switch task.phase {
        case .queued, .waiting:
            task.phase = .suspended
            task.wait = nil
            return [.save, .report]
        case .running where !task.isPaused:
            // The connection is kept: the server sends no byte twice, and nothing is read meanwhile.
            task.isPaused = true
            return [.save, .pauseAttempt, .report]
        case .running, .suspended, .canceling, .ended:
            return []
        }
    }

    private mutating func cancel(keeping: Bool, reason: Int?, bodyLength: Int64) -> [TransferAction] {
        var error = ErrorRecord(ErrorCode.cancelled, Self.cancelText(reason), url: task.request.url)
        error.cancelledReason = reason
        return stop(with: PlannedEnd(error: error, keeping: keeping), bodyLength: bodyLength)
    }

    private static func cancelText(_ reason: Int?) -> String {
        switch reason {
        case 0: "cancelled: the user quit the app on purpose"
        case 1: "cancelled: background transfers are switched off for this client"
        case 2: "cancelled: the client has reached its limit of tasks or bytes"
        default: "cancelled"
        }
    }

    private mutating func deadlinePassed(bodyLength: Int64) -> [TransferAction] {
        let error = ErrorRecord(
            ErrorCode.timedOut, "not finished within the session's resource timeout", url: task.request.url)
        return stop(with: PlannedEnd(error: error, keeping: true), bodyLength: bodyLength)
    }

    /// A task whose answer is read as it comes lasts as long as its reader; the next process hears why.
    private mutating func readerLeft(bodyLength: Int64) -> [TransferAction] {
        let error = ErrorRecord(
            ErrorCode.backgroundSessionDisconnected,
            "the process that made this task has left before it ended; make it again", url: task.request.url)
        return stop(with: PlannedEnd(error: error, keeping: false), bodyLength: bodyLength)
    }

    private mutating func stop(with ending: PlannedEnd, bodyLength: Int64) -> [TransferAction] {
        switch task.phase {
        case .suspended, .queued, .waiting:
            return end(ending.error, keeping: ending.keeping, bodyLength: bodyLength)
        case .running:
            // The last bytes are still on their way to the file; what is kept is decided when they are there.
            task.phase = .canceling
            task.ending = ending
            return [.save, .stopAttempt, .report]
        case .canceling:
            guard !ending.keeping, task.ending?.keeping == true else { return [] }
            task.ending?.keeping = false
            return [.save]
        case .ended:
            return []
        }
    }

    // MARK: An attempt

    private mutating func admitted(bodyLength: Int64) -> [TransferAction] {
        guard task.phase == .queued else { return [.releaseConnection] }
        let plan = ResumePolicy.plan(for: task, bodyLength: bodyLength)
        attempt = Attempt(receivedBefore: max(task.received, bodyLength))
        if plan == .complete {
            return [.releaseConnection] + end(nil, keeping: false, bodyLength: bodyLength)
        }
        // Bytes that are not asked to be continued are none from now on: the file will be another's.
        if plan == .whole { task.held = nil }
        task.phase = .running
        task.notBefore = nil
        task.hasBegun = task.earliestBeginDate != nil
        task.isAskedToBegin = false
        task.wait = nil
        if task.kind == .upload { task.sent = 0 }
        return [.save, .start(plan), .report]
    }

    private mutating func answered(_ head: ResponseRecord, _ verdict: Verdict) -> [TransferAction] {
        // Also of one that is being cancelled: what is held must be what is said of the bytes on disk.
        guard task.phase == .running || task.phase == .canceling else { return [] }
        attempt?.verdict = verdict
        attempt?.isChunked = head.headers.first("Transfer-Encoding") != nil
        switch verdict {
        case .take(let total):
            task.held = HeldBody(response: head, total: total)
            task.expected = total
            task.response = head
            task.resumeOffset = nil
            task.received = 0
            task.syncedOffset = 0
            return [.save, .report]
        case .append(_, let total):
            // A task that was continued by the service goes on showing its first answer; one that was made
            // from resume data has none yet and shows its 206.
            if task.response == nil { task.response = head }
            task.held?.total = total
            task.expected = total
            guard let offset = task.resumeOffset else { return [.save, .report] }
            task.resumeOffset = nil
            return [.save, .post(.resumed(offset: offset, expected: task.expected)), .report]
        case .alreadyComplete, .startAgain, .retryLater, .fail, .challenged:
            return []
        }
    }

    private mutating func ended(
        _ end: AttemptEnd, bodyLength: Int64, now: Date, chance: Double
    ) -> [TransferAction] {
        guard task.phase == .running || task.phase == .canceling else { return [] }
        return [.releaseConnection]
            + afterAttempt(end, bodyLength: bodyLength, now: now, chance: chance)
    }

    private mutating func afterAttempt(
        _ end: AttemptEnd, bodyLength: Int64, now: Date, chance: Double
    ) -> [TransferAction] {
        // An attempt that finished while it was being stopped has finished all the same only if it was not
        // asked to be cancelled: an app that cancelled must hear -999.
        if task.phase == .canceling { return endAsPlanned(bodyLength: bodyLength) }
        switch end {
        case .finished:
            return finished(bodyLength: bodyLength, now: now, chance: chance)
        case .refused:
            return refused(bodyLength: bodyLength, now: now, chance: chance)
        case .stopped:
            if let interruption = attempt?.interruption { return interrupted(interruption) }
            // Stopped without a reason of ours: the engine is leaving. The next service goes on.
            return []
        case .lost(let code, let reason):
            return tryAgain(
                code: code, reason: reason, bodyLength: bodyLength, after: nil, now: now, chance: chance)
        case .broken(let error):
            return self.end(error, keeping: true, bodyLength: bodyLength)
        case .asks(let reason, let kind):
            return asks(reason, kind)
        case .again:
            task.asks = AskNote(kind: .challenge, holdsAnswer: holdsAnswer)
            return forgetAnswer() + (staySuspended() ?? queued())
        }
    }

    // MARK: Questions

    /// Whether the answer that asks is on disk, in place of what may have been there.
    private var holdsAnswer: Bool {
        if case .take = attempt?.verdict { true } else { false }
    }

    /// A question holds no connection: the task waits.
    private mutating func asks(_ reason: String, _ kind: QuestionKind) -> [TransferAction] {
        task.asks = AskNote(kind: kind, holdsAnswer: holdsAnswer)
        if let actions = staySuspended() { return actions + [.ask] }
        task.phase = .waiting
        task.wait = WaitNote(reason: reason, attempt: task.failures + 2, until: nil)
        return [.save, .ask, .report]
    }

    private mutating func replied(
        _ reply: OwnerReply, bodyLength: Int64, now: Date, chance: Double
    ) -> [TransferAction] {
        guard task.asks != nil, task.phase == .waiting || task.phase == .suspended else { return [] }
        switch reply {
        case .again:
            let drop = forgetAnswer()
            task.wait = nil
            return drop + (task.phase == .suspended ? [.save, .report] : queued())
        case .deliver:
            guard task.asks?.holdsAnswer == true else {
                // It was not kept, for the sake of the bytes that are: it is asked for once more.
                task.asks = nil
                task.wait = nil
                return task.phase == .suspended ? [.save, .report] : queued()
            }
            task.asks = nil
            return finished(bodyLength: bodyLength, now: now, chance: chance)
        case .handOver(let response, let length):
            task.response = response
            task.expected = length
            // The reader waits for the head.
            return [.report] + end(nil, keeping: false, bodyLength: length)
        case .end(let error):
            task.asks = nil
            return end(error, keeping: false)
        }
    }

    /// The answer that asked is none any more.
    private mutating func forgetAnswer() -> [TransferAction] {
        defer { task.asks = nil }
        guard task.asks?.holdsAnswer == true else { return [] }
        task.response = nil
        return forgetBody()
    }

    /// What is held is of no use any more.
    private mutating func forgetBody() -> [TransferAction] {
        task.held = nil
        task.resumeOffset = nil
        task.received = 0
        task.expected = nil
        return [.dropBody]
    }

    private mutating func finished(bodyLength: Int64, now: Date, chance: Double) -> [TransferAction] {
        guard task.kind == .download, let total = task.held?.total, bodyLength != total else {
            return end(nil, keeping: false, bodyLength: bodyLength)
        }
        if bodyLength > total {
            return startAgain(why: "more bytes came than the server had promised", now: now, chance: chance)
        }
        if case .append(let end, _)? = attempt?.verdict {
            // A shorter range than asked for is legal: ask for the rest, at once after a part that was whole.
            if end == bodyLength, bodyLength > attempt?.receivedBefore ?? 0 {
                task.failures = 0
                return staySuspended() ?? queued()
            }
            if bodyLength < end, attempt?.isChunked == true {
                return startAgain(
                    why: "the partial answer was shorter than its range", now: now, chance: chance)
            }
        }
        return tryAgain(
            code: ErrorCode.connectionLost, reason: "the answer was shorter than the file",
            bodyLength: bodyLength, after: nil, now: now, chance: chance)
    }

    private mutating func refused(bodyLength: Int64, now: Date, chance: Double) -> [TransferAction] {
        switch attempt?.verdict {
        case .alreadyComplete:
            return end(nil, keeping: false, bodyLength: bodyLength)
        case .startAgain(let why):
            return startAgain(why: why, now: now, chance: chance)
        case .retryLater(let reason, let after):
            return tryAgain(
                code: ErrorCode.badServerResponse, reason: reason, bodyLength: bodyLength, after: after,
                now: now, chance: chance)
        case .fail(let code, let message):
            return end(
                ErrorRecord(code, message, url: task.request.url), keeping: false, bodyLength: bodyLength)
        case .append:
            return startAgain(
                why: "more bytes came than the partial answer had promised", now: now, chance: chance)
        case .challenged:
            // It asks in a way that nobody can answer. What is held is not concerned.
            return end(
                ErrorRecord(
                    ErrorCode.badServerResponse,
                    "the server redirects to, or asks for a password at, what is no address",
                    url: task.request.url), keeping: true, bodyLength: bodyLength)
        case .take, nil:
            return end(
                ErrorRecord(ErrorCode.unknown, "an answer was refused for no reason", url: task.request.url),
                keeping: false, bodyLength: bodyLength)
        }
    }

    /// The whole from 0, at once, but only once in a task's life.
    private mutating func startAgain(why: String, now: Date, chance: Double) -> [TransferAction] {
        guard !task.hasStartedAgain else {
            return end(
                ErrorRecord(
                    ErrorCode.badServerResponse, "\(why), also after starting again", url: task.request.url),
                keeping: false)
        }
        task.hasStartedAgain = true
        return forgetBody() + (staySuspended() ?? queued())
    }

    private mutating func queued() -> [TransferAction] {
        task.phase = .queued
        return [.save, .enqueue, .report]
    }

    /// An attempt that ends while the app has it suspended is not followed by another before `resume`.
    private mutating func staySuspended() -> [TransferAction]? {
        guard task.isPaused else { return nil }
        task.isPaused = false
        task.phase = .suspended
        return [.save, .report]
    }

    private mutating func tryAgain(
        code: Int, reason: String, bodyLength: Int64, after: Double?, now: Date, chance: Double
    ) -> [TransferAction] {
        guard task.mayTryAgain(after: code) else {
            return end(
                ErrorRecord(code, reason, url: task.request.url), keeping: true, bodyLength: bodyLength)
        }
        let madeProgress = bodyLength > (attempt?.receivedBefore ?? 0)
        task.failures = madeProgress ? 1 : task.failures + 1
        if let actions = staySuspended() { return actions }
        let delay = RetryPolicy.delay(failures: task.failures, retryAfter: after, chance: chance)
        task.phase = .waiting
        task.wait = WaitNote(
            reason: reason, attempt: task.failures + 1, until: now.addingTimeInterval(delay))
        task.notBefore = after.map(now.addingTimeInterval)
        return [.save, .retryAfter(delay), .report]
    }

    private mutating func heldBack(_ reason: String, _ isNews: Bool) -> [TransferAction] {
        switch task.phase {
        case .queued:
            return wait(for: reason, isNews: isNews)
        case .waiting where task.wait?.until == nil:
            return wait(for: reason)
        case .running where attempt != nil:
            let isStopping = attempt?.interruption != nil
            attempt?.interruption = .wait(reason: reason)
            return isStopping ? [] : [.stopAttempt]
        case .running, .waiting, .suspended, .canceling, .ended:
            return []
        }
    }

    /// The owner knows; to it the task runs.
    private mutating func asked() -> [TransferAction] {
        guard task.phase == .queued else { return [] }
        task.phase = .waiting
        task.isAskedToBegin = true
        task.wait = WaitNote(reason: "asks its owner whether to begin", attempt: 1, until: nil)
        return [.save]
    }

    private mutating func begins(_ request: RequestRecord?) -> [TransferAction] {
        guard task.phase == .waiting || task.phase == .suspended, !task.hasBegun else { return [] }
        task.hasBegun = true
        task.isAskedToBegin = false
        var actions: [TransferAction] = []
        if let request, request != task.request {
            var new = request
            new.bodyFile = task.request.bodyFile
            task.originalRequest = task.request
            task.request = new
            if let error = RequestCheck.error(for: task) { return end(error, keeping: false) }
            task.lane = RequestCheck.lane(session: task.session, url: new.url)
            // What is held belongs to another request.
            actions = forgetBody()
        }
        if task.phase == .waiting {
            task.phase = .queued
            task.wait = nil
        }
        return actions + [.save, .report]
    }

    /// No attempt has failed, and no timer ends it.
    private mutating func wait(for reason: String, isNews: Bool = true) -> [TransferAction] {
        task.phase = .waiting
        task.wait = WaitNote(reason: reason, attempt: task.failures + 1, until: nil)
        return isNews ? [.save, .report] : [.save]
    }

    /// Queued, and no more: who goes first is asked when all that were held back are.
    private mutating func letGo() -> [TransferAction] {
        if task.phase == .running, attempt?.interruption != nil { attempt?.interruption = .goOn }
        guard task.phase == .waiting, task.wait?.until == nil else { return [] }
        task.phase = .queued
        task.wait = nil
        return [.save, .report]
    }

    /// It stays suspended, without a connection; resumed, it asks for the rest.
    private mutating func giveWay() -> [TransferAction] {
        guard task.phase == .running, task.isPaused, attempt?.interruption == nil else { return [] }
        attempt?.interruption = .goOn
        return [.stopAttempt]
    }

    private mutating func interrupted(_ interruption: Interruption) -> [TransferAction] {
        if let actions = staySuspended() { return actions }
        switch interruption {
        case .wait(let reason): return wait(for: reason)
        case .goOn: return queued()
        }
    }

    private mutating func retryDue() -> [TransferAction] {
        guard task.phase == .waiting, task.asks == nil else { return [] }
        task.phase = .queued
        return [.save, .enqueue]
    }

    // MARK: The end, and a new beginning

    /// Records of a service that did not write the plan down have none: then it was a cancel.
    private mutating func endAsPlanned(bodyLength: Int64) -> [TransferAction] {
        let ending = task.ending
        return end(
            ending?.error ?? ErrorRecord(ErrorCode.cancelled, "cancelled", url: task.request.url),
            keeping: ending?.keeping ?? true, bodyLength: bodyLength)
    }

    private mutating func end(
        _ error: ErrorRecord?, keeping: Bool, bodyLength: Int64 = 0
    ) -> [TransferAction] {
        task.phase = .ended
        task.isPaused = false
        task.wait = nil
        task.asks = nil
        task.ending = nil
        attempt = nil
        guard var error else {
            task.received = bodyLength
            let news = MissingEvents.body(of: task).map { [TransferAction.post($0)] } ?? []
            return [.save] + news + [.post(.completed(error: nil))]
        }
        var fate = TransferAction.removeBody
        if keeping, ResumePolicy.mayOfferResumeData(task, bodyLength: bodyLength), let held = task.held {
            var description = ResumeDescription(
                token: task.token, request: task.request, held: held, received: bodyLength)
            description.file = keptPath
            description.syncedOffset = task.syncedOffset
            description.boot = task.boot
            error.resumeData = description.encoded
            if error.resumeData != nil { fate = .keepBody }
        }
        task.error = error
        return [.save, fate, .post(.completed(error: error))]
    }

    private mutating func recovered(
        bodyLength: Int64, isChangedByOwner: Bool, now: Date
    ) -> [TransferAction] {
        switch task.phase {
        case .suspended:
            return []
        case .queued:
            return [.enqueue]
        case .running where task.isPaused:
            task.isPaused = false
            task.phase = .suspended
            task.received = bodyLength
            return [.save]
        case .running where task.pipe != nil && task.response != nil:
            // Its reader has had the beginning of another answer.
            task.phase = .queued
            return readerLeft(bodyLength: bodyLength)
        case .waiting where task.isAskedToBegin:
            return [.askToBegin]
        case .waiting where (task.notBefore ?? now) > now:
            // A server that asked for patience is not asked again sooner for the service's being new.
            return [.retryAfter((task.notBefore ?? now).timeIntervalSince(now))]
        case .running, .waiting:
            let drop = forgetAnswer()
            task.phase = .queued
            task.wait = nil
            task.received = drop.isEmpty ? bodyLength : 0
            return drop + [.save, .enqueue]
        case .canceling:
            task.received = bodyLength
            return endAsPlanned(bodyLength: bodyLength)
        case .ended:
            // A finished body that did not reach the disk before the machine crashed is fetched again. One
            // that its owner has changed it has had.
            guard task.error == nil, task.kind == .download, !isChangedByOwner, bodyLength < task.received
            else { return [] }
            // The owner's link, if there is one, is this very file.
            let isShared = task.handedOver != nil
            task.handedOver = nil
            task.phase = .queued
            task.received = isShared ? 0 : bodyLength
            return (isShared ? [.dropBody] : []) + [.retractEvents, .save, .enqueue]
        }
    }
}
