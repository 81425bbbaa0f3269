// A server's answer, without its body.

/// The head of an answer (RFC 9110 §15).
public struct ResponseRecord: Codable, Sendable, Equatable {
    /// The address that answered, after redirects.
    public var url: String
    public var status: Int
    /// `HTTP/1.1` and the like.
    public var version: String
    public var headers: [HeaderField]

    public init(url: String, status: Int, version: String = "HTTP/1.1", headers: [HeaderField] = []) {
        self.url = url
        self.status = status
        self.version = version
        self.headers = headers
    }
}
