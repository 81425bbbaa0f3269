// What an owner must hear about a task, at least once, in order. Kept in the service's outbox until the
// owner acknowledges it after its delegate has returned.

/// An event that waits for its owner.
public enum TaskEvent: Codable, Sendable, Equatable {
    /// A task made from resume data was continued at that offset.
    case resumed(offset: Int64, expected: Int64?)
    /// The download's file. `path` is empty in the outbox; at delivery it names a link made for the owner.
    case downloaded(path: String, bytes: Int64)
    /// The body of an upload's answer, in a file as above.
    case answered(path: String, bytes: Int64)
    /// The last event of every task.
    case completed(error: ErrorRecord?)
}
