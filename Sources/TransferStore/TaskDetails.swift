// The JSON column of a task: the members of `TaskRecord` that nobody looks for. Its names are the format,
// and stay when the record's change. A member added later must be optional: rows of today lack it.
import Foundation
import TransferProtocol

struct TaskDetails: Codable, Equatable, Sendable {
    var kind: TaskKind
    var description: String?
    var request: RequestRecord
    var source: UploadSource?
    var earliestBeginDate: Date?
    var clientExpectsToSend: Int64?
    var clientExpectsToReceive: Int64?
    var created: Date
    var firstResumed: Date?
    // What most tasks never are is written only of those that are.
    var isPaused: Bool?
    var failures: Int?
    var hasStartedAgain: Bool?
    var hasBegun: Bool?
    var isAskedToBegin: Bool?
    var originalRequest: RequestRecord?
    var wait: WaitNote?
    var notBefore: Date?
    var held: HeldBody?
    var resumeOffset: Int64?
    var expected: Int64?
    var response: ResponseRecord?
    /// It is the very answer that `held` has, and not written a second time.
    var responseIsHeld: Bool?
    var error: ErrorRecord?
    var ending: PlannedEnd?
    var handedOver: HandedOverFile?
    var pipe: String?
    var retryRule: RetryRule?
    var begunInWake: Bool?
    var heldUntil: Date?
    var transactions: [TransactionRecord]?
    var ended: Date?
    var asks: AskNote?

    init(_ task: TaskRecord) {
        kind = task.kind
        description = task.description
        request = task.request
        source = task.source
        earliestBeginDate = task.earliestBeginDate
        clientExpectsToSend = task.clientExpectsToSend
        clientExpectsToReceive = task.clientExpectsToReceive
        created = task.created
        firstResumed = task.firstResumed
        isPaused = task.isPaused ? true : nil
        failures = task.failures == 0 ? nil : task.failures
        hasStartedAgain = task.hasStartedAgain ? true : nil
        hasBegun = task.hasBegun ? true : nil
        isAskedToBegin = task.isAskedToBegin ? true : nil
        originalRequest = task.originalRequest
        wait = task.wait
        notBefore = task.notBefore
        held = task.held
        resumeOffset = task.resumeOffset
        expected = task.expected
        let isHeld = task.response != nil && task.response == task.held?.response
        response = isHeld ? nil : task.response
        responseIsHeld = isHeld ? true : nil
        error = task.error
        ending = task.ending
        handedOver = task.handedOver
        pipe = task.pipe
        retryRule = task.retryRule == .always ? nil : task.retryRule
        begunInWake = task.begunInWake ? true : nil
        heldUntil = task.heldUntil
        transactions = task.transactions.isEmpty ? nil : task.transactions
        ended = task.ended
        asks = task.asks
    }

    func apply(to task: inout TaskRecord) {
        task.description = description
        task.source = source
        task.earliestBeginDate = earliestBeginDate
        task.clientExpectsToSend = clientExpectsToSend
        task.clientExpectsToReceive = clientExpectsToReceive
        task.firstResumed = firstResumed
        task.isPaused = isPaused ?? false
        task.failures = failures ?? 0
        task.hasStartedAgain = hasStartedAgain ?? false
        task.hasBegun = hasBegun ?? false
        task.isAskedToBegin = isAskedToBegin ?? false
        task.originalRequest = originalRequest
        task.wait = wait
        task.notBefore = notBefore
        task.held = held
        task.resumeOffset = resumeOffset
        task.expected = expected
        task.response = responseIsHeld == true ? held?.response : response
        task.error = error
        task.ending = ending
        task.handedOver = handedOver
        task.pipe = pipe
        task.retryRule = retryRule ?? .always
        task.begunInWake = begunInWake ?? false
        task.heldUntil = heldUntil
        task.transactions = transactions ?? []
        task.ended = ended
        task.asks = asks
    }
}
