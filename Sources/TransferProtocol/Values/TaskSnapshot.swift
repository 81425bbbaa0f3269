// A task as it is at one moment: what a client needs to make its object anew, and what status prints.
import Foundation

public enum TaskKind: String, Codable, Sendable {
    case download, upload, data
}

/// Where a task is in its life.
public enum TaskState: String, Codable, Sendable, CaseIterable {
    /// Made but not resumed, or suspended again.
    case suspended
    /// Resumed, and waiting for a connection to be free or for its begin date.
    case queued
    case running
    /// Between two attempts; `TaskSnapshot.wait` says why and until when.
    case waiting
    /// Ended without a transport error; its events wait for an owner.
    case finished
    /// Ended with an error; its events wait for an owner.
    case failed

    public var isEnded: Bool { self == .finished || self == .failed }
}

/// Why a task waits.
public struct WaitNote: Codable, Sendable, Equatable {
    /// A few words: `connection refused`.
    public var reason: String
    /// The number of the attempt that comes next; the first attempt is 1.
    public var attempt: Int
    /// When it comes (wall clock); nil when nothing but an event ends the wait.
    public var until: Date?

    public init(reason: String, attempt: Int, until: Date?) {
        self.reason = reason
        self.attempt = attempt
        self.until = until
    }
}

/// A task at one moment.
public struct TaskSnapshot: Codable, Sendable, Equatable {
    /// Unique in the service for ever.
    public var key: Int64
    /// Unique in the session: `URLSessionTask.taskIdentifier`.
    public var identifier: Int
    public var client: String
    public var session: String
    public var kind: TaskKind
    public var state: TaskState
    /// False until the task is resumed for the first time.
    public var wasResumed: Bool
    public var description: String?
    public var request: RequestRecord
    /// The request after redirects, when it differs.
    public var currentRequest: RequestRecord?
    public var response: ResponseRecord?
    public var source: UploadSource?
    /// Body bytes received and on disk.
    public var received: Int64 = 0
    /// The whole body's length; nil while unknown.
    public var expected: Int64?
    /// Body bytes that have left this machine.
    public var sent: Int64 = 0
    /// The request body's length; nil when there is none.
    public var expectedToSend: Int64?
    public var clientExpectsToSend: Int64?
    public var clientExpectsToReceive: Int64?
    public var priority: Double = 0.5
    public var earliestBeginDate: Date?
    public var wait: WaitNote?
    public var error: ErrorRecord?
    /// In `admin.tasks` only.
    public var conditions: TaskConditions?
    /// Sent with the task's last event only.
    public var metrics: TaskMetrics?

    public init(
        key: Int64, identifier: Int, client: String, session: String, kind: TaskKind, state: TaskState,
        wasResumed: Bool, description: String?, request: RequestRecord
    ) {
        self.key = key
        self.identifier = identifier
        self.client = client
        self.session = session
        self.kind = kind
        self.state = state
        self.wasResumed = wasResumed
        self.description = description
        self.request = request
    }
}
