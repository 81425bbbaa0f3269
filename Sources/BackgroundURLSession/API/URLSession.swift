// The session an app holds. A thin object: what it knows is in its `SessionCore`, which two session
// objects of one identifier share. Every member may be used from any thread.

/// A group of transfers with one configuration and one delegate.
///
/// A session of the configurations `default` and `ephemeral`, and `shared`, makes its transfers inside this
/// process and ends with it. A background session's transfers belong to the user's transfer service and outlive this process: a
/// process that makes a session with the same identifier later finds them again.
open class URLSession: NSObject, @unchecked Sendable {
    public enum DelayedRequestDisposition: Int, Sendable {
        case continueLoading = 0
        case useNewRequest = 1
        case cancel = 2
    }

    public enum AuthChallengeDisposition: Int, Sendable {
        case useCredential = 0
        case performDefaultHandling = 1
        case cancelAuthenticationChallenge = 2
        case rejectProtectionSpace = 3
    }

    public enum ResponseDisposition: Int, Sendable {
        case cancel = 0
        case allow = 1
        case becomeDownload = 2
        case becomeStream = 3
    }

    let core: SessionCore
    private let copiedConfiguration: URLSessionConfiguration
    private let queue: OperationQueue
    private let own = Guarded(Own())

    private struct Own {
        var delegate: (any URLSessionDelegate)?
        var description: String?
    }

    /// Makes a session and starts looking for its earlier transfers.
    ///
    /// One session object may exist for one identifier. A second one is warned about on standard error;
    /// its delegate hears nothing, and tasks made on it report to the first one's delegate.
    /// - Parameters:
    ///   - configuration: copied.
    ///   - delegate: held strongly until the session has become invalid.
    ///   - queue: where the delegate is called; nil makes a serial queue.
    public init(
        configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)? = nil,
        delegateQueue queue: OperationQueue? = nil
    ) {
        copiedConfiguration = configuration.snapshot()
        self.queue = queue ?? .serial(named: "URLSession \(configuration.identifier ?? "")")
        let (core, isFirst) =
            if case .background(let identifier) = configuration.kind {
                SessionRegistry.shared.core(
                    for: identifier, configuration: copiedConfiguration, queue: self.queue)
            } else {
                (SessionCore.processBound(copiedConfiguration, queue: self.queue), true)
            }
        self.core = core
        super.init()
        own.with { $0.delegate = delegate }
        guard isFirst else { return }
        core.begin(with: self, delegate: delegate)
    }

    // A process-bound session without a delegate goes when nobody uses it any more; the others are held by their
    // cores until they have become invalid.
    deinit { if core.isProcessBound { core.link.close() } }

    /// A session without a delegate.
    public convenience init(configuration: URLSessionConfiguration) {
        self.init(configuration: configuration, delegate: nil, delegateQueue: nil)
    }

    /// The process's own session: the default configuration and no delegate. It cannot be invalidated.
    open class var shared: URLSession { sharedSession }

    private static let sharedSession = SharedSession(
        configuration: .default, delegate: nil, delegateQueue: nil)

    /// The queue the delegate is called on.
    open var delegateQueue: OperationQueue { queue }

    /// Nil once the session has become invalid.
    open var delegate: (any URLSessionDelegate)? { own.with { $0.delegate } }

    /// A copy: changing it changes nothing.
    open var configuration: URLSessionConfiguration { copiedConfiguration.snapshot() }

    /// For the app's own use; not kept beyond this object.
    open var sessionDescription: String? {
        get { own.with { $0.description } }
        set { own.with { $0.description = newValue } }
    }

    /// Returns at once and refuses new tasks; when the last task has ended the delegate hears
    /// `didBecomeInvalidWithError(nil)`.
    open func finishTasksAndInvalidate() { core.invalidate(cancelling: false) }

    /// Cancels every task, then as `finishTasksAndInvalidate()`.
    open func invalidateAndCancel() { core.invalidate(cancelling: true) }

    /// Calls back, on the delegate queue, when everything asked for so far is on disk.
    @preconcurrency
    open func flush(completionHandler: @escaping @Sendable () -> Void) {
        core.flush { _ in self.core.deliveries.append(completionHandler) }
    }

    /// Forgets the session's cookies and passwords, in the service and on disk; cancels nothing. Calls back on
    /// the delegate queue.
    @preconcurrency
    open func reset(completionHandler: @escaping @Sendable () -> Void) {
        core.reset { self.core.deliveries.append(completionHandler) }
    }

    /// As `flush(completionHandler:)`.
    open func flush() async {
        await withCheckedContinuation { done in core.flush { _ in done.resume() } }
    }

    /// As `reset(completionHandler:)`.
    open func reset() async { await withCheckedContinuation { done in core.reset { done.resume() } } }

    /// The tasks that have been resumed and have not ended, by kind; on the delegate queue.
    @preconcurrency
    open func getTasksWithCompletionHandler(
        _ completionHandler:
            @escaping @Sendable (
                [URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]
            ) -> Void
    ) {
        getAllTasks { all in
            let sorted = TasksByKind(all)
            completionHandler(sorted.data, sorted.uploads, sorted.downloads)
        }
    }

    /// The tasks that have been resumed and have not ended, those of earlier processes included; on the
    /// delegate queue. Everything sent before is on disk when it is called back.
    @preconcurrency
    open func getAllTasks(completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void) {
        core.listTasks { tasks in self.core.deliveries.append { completionHandler(tasks) } }
    }

    /// As `getTasksWithCompletionHandler(_:)`.
    open var tasks: ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) {
        get async {
            let sorted = TasksByKind(await allTasks)
            return (sorted.data, sorted.uploads, sorted.downloads)
        }
    }

    /// As `getAllTasks(completionHandler:)`.
    open var allTasks: [URLSessionTask] {
        get async { await withCheckedContinuation { done in core.listTasks { done.resume(returning: $0) } } }
    }

    /// The session has become invalid: it lets go of its delegate.
    func forgetDelegate() { own.with { $0.delegate = nil } }
}

/// A session's tasks as `getTasksWithCompletionHandler` hands them out.
private struct TasksByKind {
    var data: [URLSessionDataTask] = []
    var uploads: [URLSessionUploadTask] = []
    var downloads: [URLSessionDownloadTask] = []

    init(_ tasks: [URLSessionTask]) {
        for task in tasks {
            if let upload = task as? URLSessionUploadTask {
                uploads.append(upload)
            } else if let one = task as? URLSessionDataTask {
                data.append(one)
            } else if let download = task as? URLSessionDownloadTask {
                downloads.append(download)
            }
        }
    }
}

extension OperationQueue {
    static func serial(named name: String) -> OperationQueue {
        let queue = OperationQueue()
        queue.name = name
        queue.maxConcurrentOperationCount = 1
        return queue
    }
}

/// The session that everybody in the process shares does not end by one's word.
private final class SharedSession: URLSession, @unchecked Sendable {
    override func finishTasksAndInvalidate() {}
    override func invalidateAndCancel() {}
}
