// The words client and service share, one type each. A call is answered when what it asked is on disk;
// a notification is not answered. PROTOCOL.md is the contract these types follow.
import Foundation

/// A request of the client; the type itself is the parameters.
public protocol ServiceCall: Codable, Sendable {
    associatedtype Result: Codable & Sendable
    static var method: String { get }
}

/// A message that wants no answer, in either direction.
public protocol ServiceNotification: Codable, Sendable {
    static var method: String { get }
}

public enum ProtocolVersion {
    /// Raised when a message changes its meaning; added members do not raise it.
    public static let current = 1
    /// The product's version, for people.
    public static let product = "0.1.0"
}

/// The first message on a connection. Frozen for ever.
public struct Hello: ServiceCall {
    public static let method = "hello"
    public var version: Int
    /// The client's name: its executable's, or `sharedContainerIdentifier`.
    public var client: String
    public var product: String?

    public struct Result: Codable, Sendable, Equatable {
        public var version: Int
        public var product: String
        public var pid: Int32

        public init(version: Int, product: String, pid: Int32) {
            self.version = version
            self.product = product
            self.pid = pid
        }
    }

    public init(client: String, version: Int = ProtocolVersion.current) {
        self.version = version
        self.client = client
        product = ProtocolVersion.product
    }
}

/// Asks the service to leave; transfers go on when the next one starts. Frozen for ever.
public struct Shutdown: ServiceCall {
    public static let method = "shutdown"
    public typealias Result = NoContent
    public init() {}
}

/// Claims a session for this connection, until the connection ends.
public struct AttachSession: ServiceCall {
    public static let method = "session.attach"

    public enum Purpose: String, Codable, Sendable {
        /// Events are delivered to this connection.
        case own
        /// Only queues, looks or cancels: results that wait are left for an owner.
        case queue
    }

    public var identifier: String
    public var configuration: SessionConfigurationRecord
    public var purpose: Purpose
    /// Seconds to wait for another owner to leave; short attachments are always waited for briefly.
    public var patience: Double
    /// `URLSESSION_VISIT` of a program that descends from a wake; nil when the person started it.
    public var visit: String?
    /// Wants to hear `task.delayed`, and answers it.
    public var asksToBegin: Bool?

    public struct Result: Codable, Sendable, Equatable {
        /// The owner counts on from here, so that making a task never waits.
        public var nextTaskIdentifier: Int
        /// Tasks with events that wait for an owner.
        public var waitingEvents: Int

        public init(nextTaskIdentifier: Int, waitingEvents: Int) {
            self.nextTaskIdentifier = nextTaskIdentifier
            self.waitingEvents = waitingEvents
        }
    }

    public init(
        identifier: String, configuration: SessionConfigurationRecord, purpose: Purpose, patience: Double
    ) {
        self.identifier = identifier
        self.configuration = configuration
        self.purpose = purpose
        self.patience = patience
    }
}

/// Makes a task, suspended. Repeating it with the same identifier and token changes nothing.
public struct CreateTask: ServiceCall {
    public static let method = "task.create"
    public var identifier: Int
    /// Made up by the client for each task, so that a repeated message is recognised.
    public var token: String
    public var kind: TaskKind
    public var request: RequestRecord
    public var description: String?
    public var source: UploadSource?
    /// Continue this partial download instead of beginning at 0.
    public var resumeData: Data?
    /// With `resumeData`: these fields instead of those of the same names in its request, such as a token that
    /// has expired meanwhile.
    public var renewing: [HeaderField]?
    /// The path of a named pipe, made by the client in the service's `incoming` folder, that the answer's body
    /// goes into instead of a file. The task lasts as long as the client holds the pipe's other end.
    public var pipe: String?
    public typealias Result = NoContent

    public init(identifier: Int, token: String, kind: TaskKind, request: RequestRecord) {
        self.identifier = identifier
        self.token = token
        self.kind = kind
        self.request = request
    }
}

/// Changes what may change after a task was made. Members that are nil stay as they are.
public struct UpdateTask: ServiceCall {
    public static let method = "task.update"
    public var identifier: Int
    public var description: String?
    public var priority: Double?
    public var earliestBeginDate: Date?
    public var clientExpectsToSend: Int64?
    public var clientExpectsToReceive: Int64?
    public typealias Result = NoContent

    public init(identifier: Int) { self.identifier = identifier }
}

public struct ResumeTask: ServiceCall {
    public static let method = "task.resume"
    public var identifier: Int
    public typealias Result = NoContent
    public init(identifier: Int) { self.identifier = identifier }
}

public struct SuspendTask: ServiceCall {
    public static let method = "task.suspend"
    public var identifier: Int
    public typealias Result = NoContent
    public init(identifier: Int) { self.identifier = identifier }
}

/// Ends a task with -999.
public struct CancelTask: ServiceCall {
    public static let method = "task.cancel"
    public var identifier: Int
    /// Keep the partial file and describe it in the answer.
    public var keeping: Bool

    public struct Result: Codable, Sendable, Equatable {
        /// Nil when the rules for resuming do not hold.
        public var resumeData: Data?
        public init(resumeData: Data?) { self.resumeData = resumeData }
    }

    public init(identifier: Int, keeping: Bool) {
        self.identifier = identifier
        self.keeping = keeping
    }
}

/// The owner's word on a question. Late ones are passed over: to a question that is not open any more.
public struct AnswerQuestion: ServiceCall {
    public static let method = "task.answer"
    public var identifier: Int
    public var number: Int64
    public var answer: TaskAnswer
    public typealias Result = NoContent

    public init(identifier: Int, number: Int64, answer: TaskAnswer) {
        self.identifier = identifier
        self.number = number
        self.answer = answer
    }
}

/// Forgets cookies and passwords of the session; cancels nothing.
public struct ResetSession: ServiceCall {
    public static let method = "session.reset"
    public typealias Result = NoContent
    public init() {}
}

/// One page of a session's tasks; the owner's only.
public struct ListTasks: ServiceCall {
    public static let method = "task.list"
    /// Tasks with a greater key.
    public var after: Int64
    public var limit: Int

    public struct Result: Codable, Sendable, Equatable {
        public var tasks: [TaskSnapshot]
        /// Where the next page begins; nil after the last.
        public var next: Int64?
        public init(tasks: [TaskSnapshot], next: Int64?) {
            self.tasks = tasks
            self.next = next
        }
    }

    public init(after: Int64 = 0, limit: Int = 200) {
        self.after = after
        self.limit = limit
    }
}

/// Answered when everything this connection sent before is on disk.
public struct Flush: ServiceCall {
    public static let method = "flush"
    public typealias Result = NoContent
    public init() {}
}

/// The owner has dealt with an event: its delegate returned.
public struct AcknowledgeEvent: ServiceNotification {
    public static let method = "event.acknowledge"
    public var sequence: Int64
    /// True: keep the event for the next attachment all the same.
    public var withheld: Bool?

    public init(sequence: Int64, withheld: Bool? = nil) {
        self.sequence = sequence
        self.withheld = withheld
    }
}
