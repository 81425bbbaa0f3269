// What the engine tells. Every report is delivered on curl's thread: whoever hears one hands it on and
// returns, for as long as it holds the thread no transfer moves.
import Foundation

public enum EngineReport: Sendable {
    /// The judge has spoken about the final answer's head. Not sent when the sink could not be opened.
    case head(TransferID, EngineHead, BodyDisposition)
    /// The latest numbers of those running transfers whose numbers changed; at most four times a second.
    case progress([TransferProgress])
    /// The first `offset` bytes of the sink would survive a power cut.
    case synced(TransferID, offset: Int64)
    /// Exactly once for each started transfer, and the last that is heard of it.
    case ended(TransferID, EngineOutcome)
}

public struct TransferProgress: Sendable, Equatable {
    public var id: TransferID
    /// The sink's length now, what it held before the transfer included.
    public var bodyLength: Int64
    /// The body length that this answer announced; nil while unknown.
    public var expected: Int64?
    /// Bytes of the upload that have left this machine.
    public var sent: Int64
    /// The upload's size; 0 when there is none.
    public var sendingTotal: Int64

    public init(id: TransferID, bodyLength: Int64, expected: Int64?, sent: Int64, sendingTotal: Int64) {
        self.id = id
        self.bodyLength = bodyLength
        self.expected = expected
        self.sent = sent
        self.sendingTotal = sendingTotal
    }
}

public struct EngineOutcome: Sendable {
    public var result: Result<Void, EngineFailure>
    /// The last head that came, also that of a redirect or of a refused answer.
    public var head: EngineHead?
    /// The sink's length, everything written.
    public var bodyLength: Int64
    public var sent: Int64
    /// The end of the connection was the end of the body: nobody knows whether that was all.
    public var isCloseDelimited: Bool
    public var metrics: EngineMetrics
    /// Each request that was made, in order; the last is the one that `head` answers.
    public var transactions: [EngineTransaction] = []
    /// When it started, by the wall clock.
    public var began = Date()
    /// What would come next, of a redirect that was not followed.
    public var redirect: EngineRedirect?
    /// What became different about cookies, of those that were accepted.
    public var cookies = CookieChanges()
    /// The body that was to be kept aside, all of it.
    public var keptBody: [UInt8]?
    /// The ways of authentication that a proxy asked for when it refused to connect.
    public var proxySchemes: [EngineCredential.Scheme] = []

    public init(
        result: Result<Void, EngineFailure>, head: EngineHead?, bodyLength: Int64, sent: Int64,
        isCloseDelimited: Bool, metrics: EngineMetrics
    ) {
        self.result = result
        self.head = head
        self.bodyLength = bodyLength
        self.sent = sent
        self.isCloseDelimited = isCloseDelimited
        self.metrics = metrics
    }

    public var failure: EngineFailure? {
        if case .failure(let failure) = result { failure } else { nil }
    }

    /// Of a transfer that never came to libcurl. What its sink holds from before still counts.
    static func neverStarted(_ request: EngineRequest, _ failure: EngineFailure) -> EngineOutcome {
        EngineOutcome(
            result: .failure(failure), head: nil, bodyLength: BodySink.length(at: request.sink), sent: 0,
            isCloseDelimited: false, metrics: EngineMetrics())
    }
}

/// libcurl's measurements. Times are seconds from the start, the last of them over redirects; 0 where the
/// transfer did not get that far.
public struct EngineMetrics: Sendable, Equatable {
    public var nameLookup = 0.0
    public var connect = 0.0
    public var appConnect = 0.0
    public var preTransfer = 0.0
    public var startTransfer = 0.0
    public var redirect = 0.0
    public var total = 0.0
    public var redirectCount = 0
    /// Body bytes of the last answer, as they came over the wire.
    public var bytesReceived: Int64 = 0
    /// Body bytes given to the kernel in the last request.
    public var bytesSent: Int64 = 0
    public var requestHeaderBytes: Int64 = 0
    public var responseHeaderBytes: Int64 = 0
    /// No connection was opened: the transfer used one that was there.
    public var reusedConnection = false
    /// How many were opened.
    public var connections = 0
    public var localAddress: String?
    public var localPort = 0
    public var remoteAddress: String?
    public var remotePort = 0
    /// As ALPN spells it: `http/1.1`, `h2`; nil before an answer.
    public var protocolName: String?
    /// As TLS's registries number them: 0x0304 is TLS 1.3. 0 without TLS.
    public var tlsVersion = 0
    public var tlsSuite = 0

    public init() {}
}
