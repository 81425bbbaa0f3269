// A task as the service has it, for programs that show the state of things. A value.
import Foundation
import TransferProtocol

/// A task of any client at one moment.
public struct BackgroundTaskStatus: Sendable, Equatable, Codable {
    public enum Kind: String, Sendable, Codable { case download, upload, data }

    public enum State: String, Sendable, Codable {
        /// Never resumed, or suspended again.
        case suspended
        /// Waits for a connection to be free or for its begin date.
        case queued
        case running
        /// Between two attempts: `wait` says why and until when.
        case waiting
        /// Ended well; its events wait for an owner.
        case finished
        /// Ended with `error`; its events wait for an owner.
        case failed
    }

    public struct Wait: Sendable, Equatable, Codable {
        /// A few words, such as `connection refused`.
        public var reason: String
        /// The number of the attempt that comes next; the first is 1.
        public var attempt: Int
        /// Nil when nothing but an event ends the wait.
        public var until: Date?
    }

    /// What a configuration and a request say about when and where a task may run.
    public struct Conditions: Sendable, Equatable, Codable {
        public var isDiscretionary: Bool
        public var allowsCellularAccess: Bool
        public var allowsExpensiveNetworkAccess: Bool
        public var allowsConstrainedNetworkAccess: Bool
        public var httpMaximumConnectionsPerHost: Int
        /// Seconds from the first resume.
        public var timeoutIntervalForResource: Double
    }

    public struct Failure: Sendable, Equatable, Codable {
        public var domain: String
        public var code: Int
        public var message: String
        /// The file concerned, when the error is about one.
        public var path: String?
        /// Why the system cancelled it, as `NSURLErrorBackgroundTaskCancelledReasonKey` has it; nil when it did not.
        public var cancelledReason: Int?
        /// There is resume data: the next start goes on from there.
        public var hasResumeData: Bool?
    }

    /// Unique in the service for ever; for `BackgroundService.discard(key:)`.
    public var key: Int64
    /// Unique in the session: `URLSessionTask.taskIdentifier`.
    public var id: Int
    public var client: String
    public var session: String
    public var kind: Kind
    public var state: State
    public var wasResumed: Bool
    /// `URLSessionTask.taskDescription`.
    public var name: String?
    /// The original request's address.
    public var url: String
    /// Body bytes on disk.
    public var received: Int64
    /// Nil while unknown.
    public var expected: Int64?
    /// Body bytes that have left this machine.
    public var sent: Int64
    /// Nil when there is no body to send.
    public var expectedToSend: Int64?
    /// The file an upload sends.
    public var source: String?
    /// The status of the answer; nil before there is one.
    public var httpStatus: Int?
    public var priority: Double
    public var earliestBeginDate: Date?
    /// The app's own guesses in bytes; nil when it has none.
    public var clientExpectsToSend: Int64?
    public var clientExpectsToReceive: Int64?
    /// The terms it may run on, from the configuration it was made with; nil from an older service.
    public var conditions: Conditions?
    public var wait: Wait?
    public var error: Failure?

    init(_ snapshot: TaskSnapshot) {
        key = snapshot.key
        id = snapshot.identifier
        client = snapshot.client
        session = snapshot.session
        kind = Kind(snapshot.kind)
        state = State(snapshot.state)
        wasResumed = snapshot.wasResumed
        name = snapshot.description.flatMap { $0.isEmpty ? nil : $0 }
        url = snapshot.request.url
        received = snapshot.received
        expected = snapshot.expected
        sent = snapshot.sent
        expectedToSend = snapshot.expectedToSend ?? snapshot.source?.size
        source = snapshot.source?.path
        httpStatus = snapshot.response?.status
        priority = snapshot.priority
        earliestBeginDate = snapshot.earliestBeginDate.flatMap { $0 <= .distantPast ? nil : $0 }
        clientExpectsToSend = snapshot.clientExpectsToSend.flatMap { $0 < 0 ? nil : $0 }
        clientExpectsToReceive = snapshot.clientExpectsToReceive.flatMap { $0 < 0 ? nil : $0 }
        conditions = snapshot.conditions.map(Conditions.init)
        wait = snapshot.wait.map { Wait(reason: $0.reason, attempt: $0.attempt, until: $0.until) }
        error = snapshot.error.map {
            Failure(
                domain: $0.domain, code: $0.code, message: $0.message, path: $0.path,
                cancelledReason: $0.cancelledReason, hasResumeData: $0.resumeData == nil ? nil : true)
        }
    }
}

extension BackgroundTaskStatus.Kind {
    fileprivate init(_ kind: TaskKind) {
        switch kind {
        case .download: self = .download
        case .upload: self = .upload
        case .data: self = .data
        }
    }
}

extension BackgroundTaskStatus.State {
    fileprivate init(_ state: TaskState) {
        switch state {
        case .suspended: self = .suspended
        case .queued: self = .queued
        case .running: self = .running
        case .waiting: self = .waiting
        case .finished: self = .finished
        case .failed: self = .failed
        }
    }
}

extension BackgroundTaskStatus.Conditions {
    fileprivate init(_ conditions: TaskConditions) {
        isDiscretionary = conditions.isDiscretionary
        allowsCellularAccess = conditions.allowsCellularAccess
        allowsExpensiveNetworkAccess = conditions.allowsExpensiveNetworkAccess
        allowsConstrainedNetworkAccess = conditions.allowsConstrainedNetworkAccess
        httpMaximumConnectionsPerHost = conditions.maximumConnectionsPerHost
        timeoutIntervalForResource = conditions.timeoutForResource
    }
}
