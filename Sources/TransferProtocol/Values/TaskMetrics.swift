// What was measured of a task: when it lived, and each request that was made for it.
import Foundation

/// The measurements of a task that has ended.
public struct TaskMetrics: Codable, Sendable, Equatable {
    /// When the task was made, and when it ended.
    public var created: Date
    public var ended: Date
    /// The newest, oldest first: attempts, and the redirects that each went through.
    public var transactions: [TransactionRecord]

    public init(created: Date, ended: Date, transactions: [TransactionRecord]) {
        self.created = created
        self.ended = ended
        self.transactions = transactions
    }
}

/// One request and its answer. Times are seconds from `start`; nil for what did not happen.
public struct TransactionRecord: Codable, Sendable, Equatable {
    public var url: String
    public var method: String
    public var response: ResponseRecord?
    public var start: Date
    /// The host's address was known; nil on a connection that was there.
    public var lookupEnd: Double?
    /// The connection stood, before any TLS; nil on a connection that was there.
    public var connectEnd: Double?
    /// The TLS handshake was done; nil without one.
    public var secureEnd: Double?
    public var requestStart: Double?
    /// The last byte of the request was given to the kernel.
    public var requestEnd: Double?
    /// The first byte of the answer came.
    public var responseStart: Double?
    /// The answer, or the attempt, was over.
    public var end: Double
    public var requestHeaderBytes: Int64 = 0
    public var requestBodyBytes: Int64 = 0
    public var responseHeaderBytes: Int64 = 0
    /// As they came over the wire.
    public var responseBodyBytes: Int64 = 0
    /// As they came out of their encoding.
    public var decodedBodyBytes: Int64 = 0
    /// As ALPN spells it: `http/1.1`, `h2`.
    public var protocolName: String?
    /// As TLS's registries number them: 772 is TLS 1.3.
    public var tlsVersion: Int?
    public var tlsSuite: Int?
    public var localAddress: String?
    public var localPort: Int?
    /// The proxy's, where there is one.
    public var remoteAddress: String?
    public var remotePort: Int?
    public var isReused = false
    public var isProxied = false
    /// The number of redirects of the same attempt before this request.
    public var redirects = 0

    public init(url: String, method: String, start: Date, end: Double) {
        self.url = url
        self.method = method
        self.start = start
        self.end = end
    }
}
