// What the engine is asked to do. Values only: whoever starts a transfer has made every decision already,
// apart from the one that needs the answer's head, which is the judge's.
import Foundation

/// Names a transfer for as long as it runs. The caller chooses it and never uses one twice at a time.
public struct TransferID: Hashable, Sendable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// One header line. Order and repetition of lines are kept, so they are never a dictionary.
public struct EngineHeader: Sendable, Equatable {
    public var name: String
    public var value: String

    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// The file an upload sends, with the identity it had when the wish was made. A file that has another
/// identity now is not sent.
public struct UploadFile: Sendable, Equatable {
    public var path: String
    public var device: UInt64
    public var inode: UInt64
    /// In bytes.
    public var size: Int64
    public var modifiedSeconds: Int64
    public var modifiedNanoseconds: Int64

    public init(
        path: String, device: UInt64, inode: UInt64, size: Int64, modifiedSeconds: Int64,
        modifiedNanoseconds: Int64
    ) {
        self.path = path
        self.device = device
        self.inode = inode
        self.size = size
        self.modifiedSeconds = modifiedSeconds
        self.modifiedNanoseconds = modifiedNanoseconds
    }
}

/// Proxies in the words of the environment's variables, which libcurl itself is kept from reading.
public struct EngineProxies: Sendable, Equatable {
    /// For `http:` addresses.
    public var http: String?
    /// For `https:` addresses.
    public var https: String?
    /// For both, where the one above is nil.
    public var all: String?
    /// Hosts that are reached without a proxy, comma separated; `*` is every host.
    public var noProxy: String?

    public init(http: String? = nil, https: String? = nil, all: String? = nil, noProxy: String? = nil) {
        self.http = http
        self.https = https
        self.all = all
        self.noProxy = noProxy
    }

    func proxy(forScheme scheme: String) -> String? {
        let own = scheme.lowercased() == "https" ? https : http
        return [own, all].compactMap { $0 }.first { !$0.isEmpty }
    }
}

public struct EngineRequest: Sendable {
    /// Absolute, `http` or `https`. Its path and query go out byte for byte.
    public var url: String
    public var method: String
    /// As they go out. `Content-Length`, `Transfer-Encoding` and `Expect` are the engine's own and left out.
    public var headers: [EngineHeader]
    /// The body, for any method; nil sends none.
    public var upload: UploadFile?
    /// The file the answer's body goes to. Made with mode 0600 once the judge has spoken, not before.
    public var sink: String
    /// The sink is a named pipe: a reader who does not read holds the transfer, one who leaves ends it.
    public var sinkIsPipe = false
    /// Seconds without a byte in either direction, from the start on; not counted while paused. 0: no limit.
    public var idleTimeout: Double
    /// Seconds for name lookup, connecting and the TLS handshake together.
    public var connectTimeout: Double
    public var proxies: EngineProxies
    /// A file, or a folder, of certificates to trust instead of the system's.
    public var caFile: String?
    public var caPath: String?
    /// A limit in each direction; nil: none.
    public var bytesPerSecond: Int?
    public var maximumRedirects: Int
    /// False: a redirect is an answer like any other, and the outcome says what would come next.
    public var followsRedirects = true
    /// For the origin of `url`, and for no other. The request's own Authorization is not sent then.
    public var credential: EngineCredential?
    /// For the proxy.
    public var proxyCredential: EngineCredential?
    /// A file of certificates to trust besides.
    public var additionalCAFile: String?
    /// `sha256//` and the base64 of a key's SHA-256, separated by semicolons: a server with another key is
    /// not talked to.
    public var pinnedKeys: String?
    public var identity: EngineIdentity?
    /// nil: cookies are neither sent nor kept.
    public var cookies: EngineCookies?
    /// Asked once, on curl's thread, at the blank line of the final answer's head: not for an informational
    /// answer, a redirect that is followed, or a proxy's answer to CONNECT. It must not block.
    public var judge: @Sendable (EngineHead) -> BodyDisposition

    public init(
        url: String, method: String = "GET", headers: [EngineHeader] = [], upload: UploadFile? = nil,
        sink: String, idleTimeout: Double = 60, connectTimeout: Double = 60,
        proxies: EngineProxies = EngineProxies(), caFile: String? = nil, caPath: String? = nil,
        bytesPerSecond: Int? = nil, maximumRedirects: Int = 20,
        judge: @escaping @Sendable (EngineHead) -> BodyDisposition = { _ in .replace }
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.upload = upload
        self.sink = sink
        self.idleTimeout = idleTimeout
        self.connectTimeout = connectTimeout
        self.proxies = proxies
        self.caFile = caFile
        self.caPath = caPath
        self.bytesPerSecond = bytesPerSecond
        self.maximumRedirects = maximumRedirects
        self.judge = judge
    }
}
