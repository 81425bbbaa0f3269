// A request as both ends speak of it. `URLRequest` is not Codable, and must reach the server byte for byte.

/// What to ask of a server.
public struct RequestRecord: Codable, Sendable, Equatable {
    /// The absolute address, exactly as given; never re-encoded.
    public var url: String
    public var method: String
    public var headers: [HeaderField]
    /// Seconds without any data before the attempt counts as timed out; nil: the session's.
    public var timeout: Double?
    /// A body given as data: the path of a 0600 file in the service's `incoming` folder, which the service
    /// owns from then on. Never the bytes themselves.
    public var bodyFile: String?
    public var allowsCellularAccess: Bool?
    public var allowsExpensiveNetworkAccess: Bool?
    public var allowsConstrainedNetworkAccess: Bool?
    /// The host of the page that the request is made for; whose cookies are taken may depend on it.
    public var mainDocument: String?
    /// False: the session's cookies are not sent with it, and its answer's are not kept.
    public var handlesCookies: Bool?

    public init(
        url: String, method: String = "GET", headers: [HeaderField] = [], timeout: Double? = nil,
        bodyFile: String? = nil
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.timeout = timeout
        self.bodyFile = bodyFile
    }

    /// Puts these fields in the place of those of the same names (RFC 9110 §5.1: whatever their case).
    public mutating func renew(_ fields: [HeaderField]) {
        headers.removeAll { fields.first($0.name) != nil }
        headers += fields
    }
}
