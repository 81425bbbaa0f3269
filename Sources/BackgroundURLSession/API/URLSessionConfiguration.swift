// How a session behaves. A plain object that an app fills in; a session copies it when it is made and
// hears nothing of later changes. Used by one thread at a time, as on Apple's platforms.

/// The configuration of a `URLSession`.
///
/// On Linux a background session's transfers are made by a service of the user's own; what that service
/// keeps of a configuration governs the tasks made with it, also after a later process has attached with
/// another one.
open class URLSessionConfiguration: NSObject, NSCopying, @unchecked Sendable {
    enum Kind: Sendable, Equatable {
        case processBound
        case ephemeral
        case background(identifier: String)
    }

    /// How much attention the connection wants; kept, not acted on.
    public enum MultipathServiceType: Int, Sendable {
        case none = 0
        case handover = 1
        case interactive = 2
        case aggregate = 3
    }

    let kind: Kind
    /// Where the service lives; tests put a folder of their own here.
    var access = ServiceAccess.current
    var patience: TimeInterval = 1
    var leavesEvents = false
    var addedCertificates: URL?
    var pinnedKeys: [String] = []
    var identity: ClientIdentity?
    var launch: LaunchCommand?

    init(kind: Kind) { self.kind = kind }

    /// Not a background session's.
    var isProcessBound: Bool {
        if case .background = kind { false } else { true }
    }

    /// The same as `default`.
    public override init() { kind = .processBound }

    /// Sessions that end with the process. Their transfers are made inside it: no service is started.
    open class var `default`: URLSessionConfiguration { URLSessionConfiguration(kind: .processBound) }

    /// As `default`, with no cookie, cache or credential storage of the user's, and nothing left behind.
    open class var ephemeral: URLSessionConfiguration { URLSessionConfiguration(kind: .ephemeral) }

    /// A session whose transfers outlive the process. A later process finds them again by making a
    /// configuration and a session with the same identifier.
    /// - Parameter identifier: not empty; unique within the client (see `sharedContainerIdentifier`).
    open class func background(withIdentifier identifier: String) -> URLSessionConfiguration {
        guard !identifier.isEmpty else { refuse("a background session's identifier must not be empty") }
        return URLSessionConfiguration(kind: .background(identifier: identifier))
    }

    /// The background session's identifier; nil for the other kinds.
    open var identifier: String? {
        if case .background(let identifier) = kind { return identifier }
        return nil
    }

    /// May wait for a better moment: on Linux for power and for a network that is not metered.
    open var isDiscretionary = false
    /// Whether the client's registered launch command is started when the session's tasks have ended and
    /// no process is attached.
    open var sessionSendsLaunchEvents = true
    /// The name of the client that owns the session, in place of the executable's name. Programs that use
    /// the same name see the same sessions.
    open var sharedContainerIdentifier: String?

    /// Seconds without any data before an attempt has timed out; background sessions then try again.
    open var timeoutIntervalForRequest: TimeInterval = 60
    /// Seconds from a task's first `resume()` until it ends with `-1001`.
    open var timeoutIntervalForResource: TimeInterval = 7 * 24 * 3600
    /// Connections to one host at a time, for this session.
    open var httpMaximumConnectionsPerHost = 6
    /// Added to each request that does not set them itself. Keys and values are strings.
    open var httpAdditionalHeaders: [AnyHashable: Any]?

    /// On Linux, whether a network is a modem's, or metered (expensive), or was marked metered by somebody
    /// (constrained), is NetworkManager's word; where that does not run every network is allowed. Tasks wait, and
    /// those that run stop and go on later, while the network is not allowed.
    open var allowsCellularAccess = true
    open var allowsExpensiveNetworkAccess = true
    open var allowsConstrainedNetworkAccess = true
    /// Whether a task waits while no connection can be made, instead of failing. Background sessions always
    /// wait, whatever is set here.
    open var waitsForConnectivity = false

    /// CFNetwork's keys: `HTTPEnable`, `HTTPProxy`, `HTTPPort`, the same for `HTTPS` and `SOCKS`,
    /// `ExceptionsList`, and `kCFProxyUsernameKey`, `kCFProxyPasswordKey`. Nil: as the environment says when the
    /// session is made (`http_proxy` and its kin). An empty one: no proxy.
    open var connectionProxyDictionary: [AnyHashable: Any]?
    /// Whether cookies that the session holds are sent. A request with a Cookie field of its own is left as it
    /// is.
    open var httpShouldSetCookies = true
    /// Whose cookies are kept. With `onlyFromMainDocumentDomain` and a request that has a `mainDocumentURL`:
    /// only those of its host; without one, as `always`.
    open var httpCookieAcceptPolicy: HTTPCookie.AcceptPolicy = .onlyFromMainDocumentDomain

    // Kept, copied and given back; nothing is done with these five.
    open var requestCachePolicy: NSURLRequest.CachePolicy = .useProtocolCachePolicy
    open var networkServiceType: NSURLRequest.NetworkServiceType = .default
    open var httpShouldUsePipelining = false
    open var shouldUseExtendedBackgroundIdleMode = false
    open var multipathServiceType: MultipathServiceType = .none
    /// Subclasses of `URLProtocol` that answer requests inside this process: the first whose `canInit(with:)`
    /// says so. Background sessions do not use them, since their transfers are made outside, and say so on
    /// standard error.
    open var protocolClasses: [AnyClass]?

    // The shared stores read files when they are first touched, so that they are only asked for when wanted.
    private var cookieStorage: HTTPCookieStorage??
    private var credentialStorage: URLCredentialStorage??
    private var cache: URLCache??

    /// Set to nil: no cookies. On Linux a background session's cookies are kept by the service, for the session
    /// alone and across processes, whatever storage is named here. An ephemeral session that was given none
    /// keeps its cookies in memory, and has nil here: FoundationNetworking's storages cannot do that.
    open var httpCookieStorage: HTTPCookieStorage? {
        get { cookieStorage ?? (kind == .ephemeral ? nil : .shared) }
        set { cookieStorage = .some(newValue) }
    }

    /// Whether cookies are kept at all, without touching the place.
    var keepsCookies: Bool { cookieStorage.map { $0 != nil } ?? true }

    /// False in an ephemeral session that was given none: its cookies are in memory, with its transfers.
    var hasOwnCookieStorage: Bool { cookieStorage != nil || kind != .ephemeral }

    /// Where default handling of a challenge looks for a name and a password, and where those are kept that a
    /// delegate gives with a persistence. On Linux it lives as long as the process.
    open var urlCredentialStorage: URLCredentialStorage? {
        get { credentialStorage ?? (kind == .ephemeral ? nil : .shared) }
        set { credentialStorage = .some(newValue) }
    }

    open var urlCache: URLCache? {
        get { cache ?? (kind == .processBound ? .shared : nil) }
        set { cache = .some(newValue) }
    }

    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = URLSessionConfiguration(kind: kind)
        copy.access = access
        copy.patience = patience
        copy.leavesEvents = leavesEvents
        copy.addedCertificates = addedCertificates
        copy.pinnedKeys = pinnedKeys
        copy.identity = identity
        copy.launch = launch
        copy.isDiscretionary = isDiscretionary
        copy.sessionSendsLaunchEvents = sessionSendsLaunchEvents
        copy.sharedContainerIdentifier = sharedContainerIdentifier
        copy.timeoutIntervalForRequest = timeoutIntervalForRequest
        copy.timeoutIntervalForResource = timeoutIntervalForResource
        copy.httpMaximumConnectionsPerHost = httpMaximumConnectionsPerHost
        copy.httpAdditionalHeaders = httpAdditionalHeaders
        copy.allowsCellularAccess = allowsCellularAccess
        copy.allowsExpensiveNetworkAccess = allowsExpensiveNetworkAccess
        copy.allowsConstrainedNetworkAccess = allowsConstrainedNetworkAccess
        copy.waitsForConnectivity = waitsForConnectivity
        copy.requestCachePolicy = requestCachePolicy
        copy.networkServiceType = networkServiceType
        copy.connectionProxyDictionary = connectionProxyDictionary
        copy.httpShouldUsePipelining = httpShouldUsePipelining
        copy.httpShouldSetCookies = httpShouldSetCookies
        copy.httpCookieAcceptPolicy = httpCookieAcceptPolicy
        copy.shouldUseExtendedBackgroundIdleMode = shouldUseExtendedBackgroundIdleMode
        copy.multipathServiceType = multipathServiceType
        copy.protocolClasses = protocolClasses
        copy.cookieStorage = cookieStorage
        copy.credentialStorage = credentialStorage
        copy.cache = cache
        return copy
    }

    /// A copy of the exact class this module works with.
    func snapshot() -> URLSessionConfiguration {
        copy() as? URLSessionConfiguration ?? self
    }
}
