// What a background session knows: its tasks, its link to the service and its delegate. Shared by every
// session object of one identifier in this process. Any thread; `state` is held briefly and never while
// something else is called.
import Dispatch
import Foundation
import FoundationNetworking
import TransferProtocol

final class SessionCore: @unchecked Sendable {
    // Unchecked: what changes is in `state`.
    let identifier: String
    let client: String
    let access: ServiceAccess
    let deliveries: Deliveries
    let link: any SessionLink
    /// Whether results come here, or are left for an owner.
    let purpose: AttachSession.Purpose
    /// The session ends with this process.
    let isProcessBound: Bool
    /// Who may answer requests inside this process; empty in a background session.
    let protocolClasses: [URLProtocol.Type]
    let onInvalid: @Sendable () -> Void
    /// Where passwords come from, and go to, that the app does not give itself.
    let credentials: URLCredentialStorage?
    let cookies: CookieExchange?
    private let asides = DispatchQueue(label: "URLSession asides")
    let state = Guarded(State())
    /// Held from a task's number until the service was told of it: it takes them in rising order only.
    let numbering = NSLock()

    struct State {
        /// Tasks that have not ended, by identifier: the objects that the delegate gets.
        var tasks: [Int: URLSessionTask] = [:]
        /// Those of the service's that have ended in this process: nothing about them comes any more.
        var ended: Set<Int> = []
        var nextIdentifier = 1
        /// Tasks whose events waited for an owner when this session attached.
        var waitingAtAttach = 0
        /// The tasks of earlier processes have objects: there was news of one.
        var hasListed = false
        var endOfEvents = EndOfEvents()
        var events = EventLedger()
        var questions = QuestionLedger()
        /// Tasks of which the delegate is being asked whether they begin: a service that begins anew asks again.
        var beginning: Set<Int> = []
        /// Answers that the app has been given and whose acknowledgement waits for their tasks' end.
        var answers: [Int: DeliverEvent] = [:]
        /// The first session object and its delegate, until the session is invalid.
        var session: URLSession? {
            get { held ?? seen }
            set {
                held = newValue
                seen = nil
            }
        }
        private var held: URLSession?
        private weak var seen: URLSession?
        var delegate: (any URLSessionDelegate)?
        var invalidation = Invalidation.none
        /// Nobody needs to be told of anything: the session goes with its last user, or its last task.
        mutating func see(_ session: URLSession) { seen = session }

        mutating func forget(_ task: URLSessionTask) {
            if tasks[task.taskIdentifier] === task { tasks[task.taskIdentifier] = nil }
        }

        /// The first command that the service refused since somebody last asked.
        var refusal: ServiceError?
    }

    enum Invalidation {
        case none
        /// New tasks are refused; the session's other tasks are being asked for.
        case listing
        /// Ends when `tasks` is empty.
        case finishing
        case announced
    }

    init(
        identifier: String, client: String, configuration: URLSessionConfiguration, queue: OperationQueue,
        onInvalid: @escaping @Sendable () -> Void
    ) {
        self.identifier = identifier
        self.client = client
        self.onInvalid = onInvalid
        access = configuration.access
        credentials = configuration.urlCredentialStorage
        cookies = CookieExchange(configuration)
        deliveries = Deliveries(queue: queue)
        purpose = configuration.leavesEvents ? .queue : .own
        isProcessBound = configuration.isProcessBound
        let classes = (configuration.protocolClasses ?? []).compactMap { $0 as? URLProtocol.Type }
        protocolClasses = configuration.isProcessBound ? classes : []
        if !configuration.isProcessBound, !classes.isEmpty {
            Complaint.print(
                "The background URLSession \(identifier) does not use its configuration's protocolClasses: its "
                    + "transfers are made outside the process. Use a .default session for them.")
        }
        var attachment = AttachSession(
            identifier: identifier, configuration: SessionConfigurationRecord(configuration),
            purpose: purpose, patience: configuration.patience)
        // A session that ends with the process is not woken and has nothing to hold back.
        if !isProcessBound { attachment.visit = configuration.access.environment[VisitEnvironment.visit] }
        attachment.asksToBegin = purpose == .own ? true : nil
        link = ServiceLink(access: configuration.access, client: client, attachment: attachment)
    }

    /// Attaches. From here on the delegate may be called.
    func begin(with session: URLSession, delegate: (any URLSessionDelegate)?) {
        state.with {
            if isProcessBound, delegate == nil { $0.see(session) } else { $0.session = session }
            $0.delegate = delegate
        }
        (link as? ServiceLink)?.begin(listener: self)
    }

    /// Whom to call, until the session has become invalid.
    func audience<Delegate>(_ type: Delegate.Type) -> (session: URLSession, delegate: Delegate)? {
        let (session, delegate) = state.with { ($0.session, $0.delegate) }
        guard let session, let delegate = delegate as? Delegate else { return nil }
        return (session, delegate)
    }

    /// For sending from the link's own thread, which must go on reading while a message is written.
    func aside(_ work: @escaping @Sendable () -> Void) { asides.async(execute: work) }

    /// A place for handlers that may block, apart from every queue of the app's.
    func callBack(_ handler: @escaping @Sendable () -> Void) {
        DispatchQueue.global().async(execute: handler)
    }

    /// The object of that task, made now for a task of an earlier process; nil when it has ended here.
    func object(for snapshot: TaskSnapshot) -> URLSessionTask? {
        let found = state.with { state -> (task: URLSessionTask, isNew: Bool)? in
            if state.ended.contains(snapshot.identifier) { return nil }
            if let task = state.tasks[snapshot.identifier] { return (task, false) }
            let fields = TaskFields(snapshot)
            let task: URLSessionTask
            switch snapshot.kind {
            case .download:
                task = URLSessionDownloadTask(core: self, identifier: snapshot.identifier, fields: fields)
            case .upload:
                task = URLSessionUploadTask(core: self, identifier: snapshot.identifier, fields: fields)
            case .data:
                task = URLSessionDataTask(core: self, identifier: snapshot.identifier, fields: fields)
            }
            state.tasks[snapshot.identifier] = task
            return (task, true)
        }
        guard let found else { return nil }
        if !found.isNew { found.task.fields.with { $0.apply(snapshot) } }
        if let response = snapshot.response { takeCookies(response, of: found.task) }
        return found.task
    }

    func note(refusal error: ServiceError) {
        state.with { $0.refusal = $0.refusal ?? error }
    }
}
