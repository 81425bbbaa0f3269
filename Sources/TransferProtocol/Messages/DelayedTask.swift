// A task whose begin date has come, and an owner that wants to be asked about it
// (`willBeginDelayedRequest`).
import Foundation

/// The task's date has come; it waits for `task.begin`, or for this owner to leave. Told only to owners that said
/// `asksToBegin`.
public struct AskToBegin: ServiceNotification {
    public static let method = "task.delayed"
    public var identifier: Int
    public init(identifier: Int) { self.identifier = identifier }
}

/// The owner's answer: the task begins. An owner that does not want it sends `task.cancel` instead.
public struct BeginTask: ServiceCall {
    public static let method = "task.begin"
    public var identifier: Int
    /// Instead of the original one.
    public var request: RequestRecord?
    public typealias Result = NoContent

    public init(identifier: Int, request: RequestRecord? = nil) {
        self.identifier = identifier
        self.request = request
    }
}
