// What a session decides for the tasks made on it. Copied into each task's session row when a session is
// made; existing tasks keep the configuration they were made with.
import Foundation

/// The part of `URLSessionConfiguration` that the service acts on or keeps.
public struct SessionConfigurationRecord: Codable, Sendable, Equatable {
    /// Seconds without data before an attempt times out.
    public var timeoutForRequest: Double = 60
    /// Seconds from the first resume until the whole task times out.
    public var timeoutForResource: Double = 7 * 24 * 3600
    public var maximumConnectionsPerHost: Int = 6
    public var isDiscretionary: Bool = false
    public var sendsLaunchEvents: Bool = true
    public var allowsCellularAccess: Bool = true
    public var allowsExpensiveNetworkAccess: Bool = true
    public var allowsConstrainedNetworkAccess: Bool = true
    /// Added to each request that does not set them itself.
    public var additionalHeaders: [HeaderField] = []
    /// Proxy settings of the client's environment when it made the session.
    public var proxies = ProxyRecord()
    /// A CA bundle or folder that replaces the system's (the client's SSL_CERT_FILE, SSL_CERT_DIR).
    public var certificateFile: String?
    public var certificateFolder: String?
    /// A CA bundle that is trusted besides.
    public var additionalCertificateFile: String?
    /// `sha256//` and the base64 of a public key's SHA-256: a server with none of these keys is refused.
    public var pinnedKeys: [String]?
    /// Who this client is, to servers that ask for a certificate.
    public var identity: IdentityRecord?
    /// The questions that the session's owner answers; a task waits for it, also while it is absent.
    public var answers: [QuestionKind]?
    /// Nil: no cookies.
    public var cookies: CookieRecord?
    /// True: the session ends with its process, and what is lost ends at once instead of being tried again.
    /// Nil in background sessions.
    public var isProcessBound: Bool?
    /// True, in a process-bound session: nothing of it is left when the process has ended.
    public var isEphemeral: Bool?
    /// True, in a process-bound session: while no connection can be made, a task waits instead of failing.
    public var waitsForConnectivity: Bool?
    /// How the owner is started again when everything has ended; used only while `sendsLaunchEvents`.
    public var launchCommand: LaunchCommandRecord?

    public init() {}

    /// What an older client, or an older row of the store, does not say has its default: members may be added.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func value<Value: Decodable>(_ key: CodingKeys, _ fallback: Value) throws -> Value {
            try container.decodeIfPresent(Value.self, forKey: key) ?? fallback
        }
        timeoutForRequest = try value(.timeoutForRequest, timeoutForRequest)
        timeoutForResource = try value(.timeoutForResource, timeoutForResource)
        maximumConnectionsPerHost = try value(.maximumConnectionsPerHost, maximumConnectionsPerHost)
        isDiscretionary = try value(.isDiscretionary, isDiscretionary)
        sendsLaunchEvents = try value(.sendsLaunchEvents, sendsLaunchEvents)
        allowsCellularAccess = try value(.allowsCellularAccess, allowsCellularAccess)
        allowsExpensiveNetworkAccess = try value(
            .allowsExpensiveNetworkAccess, allowsExpensiveNetworkAccess)
        allowsConstrainedNetworkAccess = try value(
            .allowsConstrainedNetworkAccess, allowsConstrainedNetworkAccess)
        additionalHeaders = try value(.additionalHeaders, additionalHeaders)
        proxies = try value(.proxies, proxies)
        certificateFile = try container.decodeIfPresent(String.self, forKey: .certificateFile)
        certificateFolder = try container.decodeIfPresent(String.self, forKey: .certificateFolder)
        additionalCertificateFile = try container.decodeIfPresent(
            String.self, forKey: .additionalCertificateFile)
        pinnedKeys = try container.decodeIfPresent([String].self, forKey: .pinnedKeys)
        identity = try container.decodeIfPresent(IdentityRecord.self, forKey: .identity)
        // Kinds of a newer client are none that this service asks.
        answers = try container.decodeIfPresent([String].self, forKey: .answers)?
            .compactMap(QuestionKind.init)
        cookies = try container.decodeIfPresent(CookieRecord.self, forKey: .cookies)
        isProcessBound = try container.decodeIfPresent(Bool.self, forKey: .isProcessBound)
        isEphemeral = try container.decodeIfPresent(Bool.self, forKey: .isEphemeral)
        waitsForConnectivity = try container.decodeIfPresent(Bool.self, forKey: .waitsForConnectivity)
        launchCommand = try container.decodeIfPresent(LaunchCommandRecord.self, forKey: .launchCommand)
    }
}

/// Proxies by scheme, as the usual environment variables say them; nil means direct.
public struct ProxyRecord: Codable, Sendable, Equatable {
    public var http: String?
    public var https: String?
    public var all: String?
    /// Hosts reached directly: a comma-separated list as in `no_proxy`.
    public var exceptions: String?

    public init() {}
}

/// A client certificate by the files that hold it; the service reads them for each connection.
public struct IdentityRecord: Codable, Sendable, Equatable {
    /// PEM, or PKCS #12 when its name ends in `.p12` or `.pfx`.
    public var certificateFile: String
    /// PEM; nil when the certificate's file holds it.
    public var keyFile: String?
    /// Of the key, or of the PKCS #12 file.
    public var password: String?

    public init(certificateFile: String, keyFile: String? = nil, password: String? = nil) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        self.password = password
    }
}

/// What a session does with cookies.
public struct CookieRecord: Codable, Sendable, Equatable {
    /// Those of the session are sent. Without, they are kept all the same.
    public var sends: Bool
    /// `always`, `never`, or `mainDocument`: from the host of a request's `mainDocument` only.
    public var accepts: String
    /// True: they go with the service, and never to the disk.
    public var inMemory: Bool?

    public init(sends: Bool, accepts: String) {
        self.sends = sends
        self.accepts = accepts
    }
}
