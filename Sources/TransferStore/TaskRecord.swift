// A task as the service remembers it: the state of the transfer machine and, as columns and JSON, a row of
// the database. A plain value; it knows nothing of SQL.
import Foundation
import TransferProtocol

/// Everything that must survive the service about one task.
public struct TaskRecord: Sendable, Equatable {
    /// Where the machine stands. What a person sees is `TaskState`, which this maps to.
    public enum Phase: String, Codable, Sendable, CaseIterable {
        /// Never resumed, or suspended before or between attempts.
        case suspended
        /// Wants a connection.
        case queued
        /// An attempt runs, or is paused (`isPaused`).
        case running
        /// Being stopped so that its partial file can become resume data.
        case canceling
        /// Between two attempts.
        case waiting
        /// Ended; its events are in the outbox.
        case ended
    }

    /// Given by the store; 0 before the task is inserted.
    public var key: Int64 = 0
    /// The row of the session.
    public var session: Int64
    /// The row of the configuration the task was made with; a later one governs later tasks only.
    public var configuration: Int64
    public var identifier: Int
    public var token: String
    /// The name of its body file in the service's folder of bodies. A task made from resume data goes on
    /// with the file that data describes; any other has one named by its token.
    public var body: String
    public var kind: TaskKind
    public var phase: Phase = .suspended
    /// Tasks of one lane share the per-host limit: the session's row and the origin.
    public var lane: String
    public var description: String?
    public var request: RequestRecord
    public var source: UploadSource?
    public var priority: Double = 0.5
    public var earliestBeginDate: Date?
    public var clientExpectsToSend: Int64?
    public var clientExpectsToReceive: Int64?
    public var created: Date
    /// The request it was made with, when its owner gave another one as it began.
    public var originalRequest: RequestRecord?
    /// It had a begin date and has begun; its owner is not asked about it again.
    public var hasBegun = false
    /// Its owner is being asked whether and how it is to begin.
    public var isAskedToBegin = false
    /// When the task was resumed for the first time; the resource timeout counts from here.
    public var firstResumed: Date?
    /// Suspended while an attempt's connection is open.
    public var isPaused = false
    /// Attempts that have ended without progress since; sets the back-off.
    public var failures = 0
    public var wait: WaitNote?
    /// The server has asked not to be asked again before then (Retry-After).
    public var notBefore: Date?
    /// What is known of the bytes on disk; nil while there is nothing worth continuing.
    public var held: HeldBody?
    /// The whole-restart allowance (HTTP.md: "start again, once") is used up.
    public var hasStartedAgain = false
    /// The offset of the resume data this task was made from, until it was reported to the owner.
    public var resumeOffset: Int64?
    /// Body bytes on disk, and sent, when last written.
    public var received: Int64 = 0
    public var sent: Int64 = 0
    public var expected: Int64?
    /// Body bytes known to survive a crash of the machine, and the boot under which that was so.
    public var syncedOffset: Int64 = 0
    public var boot: String?
    /// What the owner sees as the task's response.
    public var response: ResponseRecord?
    public var error: ErrorRecord?
    /// The end that was asked for while an attempt is still being stopped: a crash in between changes nothing
    /// of it.
    public var ending: PlannedEnd?
    /// The body file as it was handed to an owner for the first time.
    public var handedOver: HandedOverFile?
    /// What the task waits for its owner to decide.
    public var asks: AskNote?
    /// Resumed by a program that descends from a wake: discretionary whatever the configuration says, and not
    /// begun before `heldUntil`.
    public var begunInWake = false
    public var heldUntil: Date?

    /// The app's begin date, or the wake's where that is later.
    public var beginDate: Date? { [earliestBeginDate, heldUntil].compactMap { $0 }.max() }
    /// The named pipe that takes the answer's body in place of a file.
    public var pipe: String?
    public var retryRule = RetryRule.always
    /// The newest requests that were made for it, measured.
    public var transactions: [TransactionRecord] = []
    /// When it ended.
    public var ended: Date?

    public init(
        session: Int64, configuration: Int64, identifier: Int, token: String, kind: TaskKind, lane: String,
        request: RequestRecord, created: Date
    ) {
        self.session = session
        self.configuration = configuration
        self.identifier = identifier
        self.token = token
        body = token
        self.kind = kind
        self.lane = lane
        self.request = request
        self.created = created
    }
}

/// Whether an attempt that was lost is followed by another.
public enum RetryRule: String, Codable, Sendable {
    /// Until the resource timeout: background sessions.
    case always
    /// While no connection could be made: process-bound sessions that wait for connectivity.
    case untilConnected
    /// The other process-bound sessions.
    case never
}

/// What the answer whose bytes are on disk said about them; the validators belong to these bytes.
public struct HeldBody: Codable, Sendable, Equatable {
    /// The answer that began this body.
    public var response: ResponseRecord
    /// The whole body's length, when that answer said it.
    public var total: Int64?

    public init(response: ResponseRecord, total: Int64?) {
        self.response = response
        self.total = total
    }
}

/// How a task ends as soon as its attempt has been stopped.
public struct PlannedEnd: Codable, Sendable, Equatable {
    public var error: ErrorRecord
    /// Whether the bytes on disk are kept for resume data, where the rules allow it.
    public var keeping: Bool

    public init(error: ErrorRecord, keeping: Bool) {
        self.error = error
        self.keeping = keeping
    }
}

/// Size and time of a body file at hand-over: a file that was changed since is not delivered again.
public struct HandedOverFile: Codable, Sendable, Equatable {
    public var size: Int64
    public var modifiedSeconds: Int64
    public var modifiedNanoseconds: Int64

    public init(size: Int64, modifiedSeconds: Int64, modifiedNanoseconds: Int64) {
        self.size = size
        self.modifiedSeconds = modifiedSeconds
        self.modifiedNanoseconds = modifiedNanoseconds
    }
}

/// A question to the owner that a task waits for. What was asked is asked again by the next service.
public struct AskNote: Codable, Sendable, Equatable {
    public var kind: QuestionKind
    /// The answer that asks is the body on disk; it is delivered, or forgotten.
    public var holdsAnswer: Bool

    public init(kind: QuestionKind, holdsAnswer: Bool) {
        self.kind = kind
        self.holdsAnswer = holdsAnswer
    }
}
