// What the service tells a session's owner.
import Foundation

/// An event from the outbox. It comes again, in a later life if need be, until it is acknowledged.
public struct DeliverEvent: ServiceNotification {
    public static let method = "event"
    public var sequence: Int64
    public var event: TaskEvent
    /// The task as the event leaves it; the first event of a task says all that its object must know.
    public var task: TaskSnapshot

    public init(sequence: Int64, event: TaskEvent, task: TaskSnapshot) {
        self.sequence = sequence
        self.event = event
        self.task = task
    }
}

/// What can be read of an event of a kind that this client does not know yet.
public struct UnknownEvent: Decodable, Sendable {
    public var sequence: Int64

    /// Nil when not even that can be read.
    public init?(line: Data) {
        struct Line: Decodable { var params: UnknownEvent }
        guard let line = try? JSONRPC.decoder.decode(Line.self, from: line) else { return nil }
        self = line.params
    }
}

/// The newest counters of running tasks, a few times a second at most.
public struct ReportProgress: ServiceNotification {
    public static let method = "progress"
    public var tasks: [ProgressNote]
    public init(tasks: [ProgressNote]) { self.tasks = tasks }
}

/// A task's head of answer, request after redirects, or wait changed. Not kept for an absent owner.
public struct ReportTask: ServiceNotification {
    public static let method = "task"
    public var task: TaskSnapshot
    public init(task: TaskSnapshot) { self.task = task }
}

/// A task waits for the owner's word. It comes again at each attachment until it is answered; the number is
/// never given twice.
public struct AskOwner: ServiceNotification {
    public static let method = "question"
    public var number: Int64
    public var question: TaskQuestion
    public var task: TaskSnapshot

    public init(number: Int64, question: TaskQuestion, task: TaskSnapshot) {
        self.number = number
        self.question = question
        self.task = task
    }
}

/// Everything that waited for this owner when it attached, or since, has been acknowledged:
/// `urlSessionDidFinishEvents(forBackgroundURLSession:)`.
public struct EventsFinished: ServiceNotification {
    public static let method = "events.finished"
    public init() {}
}
