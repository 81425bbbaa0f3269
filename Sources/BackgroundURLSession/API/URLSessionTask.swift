// A transfer as the app sees it. Its numbers are a copy of what the service last said; its commands go to
// the service through the session's core. Every member may be used from any thread.
import TransferProtocol

/// A transfer. Made suspended by a session; the delegate gets the object that made it, or that
/// `getAllTasks` gave, so that it may be a dictionary's key.
open class URLSessionTask: NSObject, NSCopying, ProgressReporting, @unchecked Sendable {
    public enum State: Int, Sendable {
        case running = 0
        case suspended = 1
        case canceling = 2
        /// From `didCompleteWithError` on.
        case completed = 3
    }

    public static let defaultPriority: Float = 0.5
    public static let lowPriority: Float = 0.25
    public static let highPriority: Float = 0.75

    let core: SessionCore
    let fields: Guarded<TaskFields>
    /// Held from a command's decision until it is written, so that commands go out in the order in which
    /// they were decided.
    let commands = NSLock()
    private let identifier: Int

    init(core: SessionCore, identifier: Int, fields: TaskFields) {
        self.core = core
        self.identifier = identifier
        self.fields = Guarded(fields)
    }

    /// Unique in the session, also across processes.
    open var taskIdentifier: Int { identifier }

    open var originalRequest: URLRequest? { fields.with { $0.originalRequest } }

    /// The request after redirects.
    open var currentRequest: URLRequest? { fields.with { $0.currentRequest ?? $0.originalRequest } }

    /// The answer's head, an `HTTPURLResponse`; nil before there is one.
    open var response: URLResponse? { fields.with { $0.response } }

    /// Why the task ended badly; nil before it has ended.
    open var error: (any Error)? { fields.with { $0.error } }

    open var state: State { fields.with { $0.state } }

    /// Kept by Apple only for other sessions' tasks; background sessions do not call it, here as there.
    open var delegate: (any URLSessionTaskDelegate)? {
        get { fields.with { $0.delegate } }
        set { fields.with { $0.delegate = newValue } }
    }

    /// The app's own words for the task; kept by the service, so that a later process finds them.
    open var taskDescription: String? {
        get { fields.with { $0.description } }
        set {
            // The message cannot say "nil": an empty description stands for none.
            core.update(self, change: { $0.description = newValue }) { $0.description = newValue ?? "" }
        }
    }

    /// 0 to 1, a hint: a higher one is admitted first among those that wait.
    open var priority: Float {
        get { fields.with { $0.priority } }
        set {
            let priority = min(max(newValue.isNaN ? Self.defaultPriority : newValue, 0), 1)
            core.update(self, change: { $0.priority = priority }) { $0.priority = Double(priority) }
        }
    }

    /// The task does not begin before.
    open var earliestBeginDate: Date? {
        get { fields.with { $0.earliestBeginDate } }
        set {
            // The message cannot say "nil": a date long past is the same bound.
            core.update(self, change: { $0.earliestBeginDate = newValue }) {
                $0.earliestBeginDate = newValue ?? .distantPast
            }
        }
    }

    /// The app's own guess in bytes, -1 when it has none; kept by the service.
    open var countOfBytesClientExpectsToSend: Int64 {
        get { fields.with { $0.clientExpectsToSend } }
        set {
            core.update(self, change: { $0.clientExpectsToSend = newValue }) {
                $0.clientExpectsToSend = newValue
            }
        }
    }

    /// The app's own guess in bytes, -1 when it has none; serves `progress` while the server has not said.
    open var countOfBytesClientExpectsToReceive: Int64 {
        get { fields.with { $0.clientExpectsToReceive } }
        set {
            core.update(self, change: { $0.clientExpectsToReceive = newValue }) {
                $0.clientExpectsToReceive = newValue
            }
        }
    }

    /// Body bytes that have left this machine.
    open var countOfBytesSent: Int64 { fields.with { $0.sent } }
    /// Body bytes that are on disk.
    open var countOfBytesReceived: Int64 { fields.with { $0.received } }
    /// The request body's length; 0 without one.
    open var countOfBytesExpectedToSend: Int64 { fields.with { $0.expectedToSend ?? 0 } }
    /// The answer body's length; -1 while unknown.
    open var countOfBytesExpectedToReceive: Int64 {
        fields.with { $0.expected ?? NSURLSessionTransferSizeUnknown }
    }

    /// Bytes done of bytes to do; indeterminate while the whole is unknown. Cancelling it cancels the task.
    open var progress: Progress {
        fields.with { fields in
            if let progress = fields.progress { return progress }
            let progress = Progress(parent: nil, userInfo: nil)
            progress.kind = .file
            progress.isPausable = true
            progress.cancellationHandler = { [weak self] in self?.cancel() }
            progress.pausingHandler = { [weak self] in self?.suspend() }
            progress.resumingHandler = { [weak self] in self?.resume() }
            fields.progress = progress
            fields.showProgress()
            return progress
        }
    }

    /// Begins or goes on, unless the task has been suspended more often than resumed. Written to the
    /// service when it returns: the process may end on the next line.
    open func resume() { core.resume(self) }

    /// Stops reading from the network until it is resumed as often as it was suspended.
    open func suspend() { core.suspend(self) }

    /// Ends the task with `-999`; what it held is discarded.
    open func cancel() { core.cancel(self) }

    /// The same object: a task has identity.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    open override var description: String {
        "\(type(of: self)) <\(identifier)> \(taskDescription ?? originalRequest?.url?.lastPathComponent ?? "")"
    }
}
