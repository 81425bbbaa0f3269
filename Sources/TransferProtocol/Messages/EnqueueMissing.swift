// Asking and queueing in one step: between the two nothing can end, and nobody else can queue.
import Foundation

/// Makes and resumes a task unless the session has one of its description that waits, runs, or has a result that
/// was not acknowledged.
public struct EnqueueMissing: ServiceCall {
    public static let method = "task.enqueueMissing"
    /// Must have a description.
    public var task: CreateTask

    public struct Result: Codable, Sendable, Equatable {
        /// The identifier of the task that was there; nil when the new one was made.
        public var existing: Int?
        public init(existing: Int?) { self.existing = existing }
    }

    public init(task: CreateTask) { self.task = task }
}
