// One request of a transfer and its answer, measured; a redirect that is followed makes another. Values.
import Foundation

public struct EngineTransaction: Sendable, Equatable {
    public var url: String
    public var method: String
    /// The answer's head; nil when none came.
    public var head: EngineHead?
    /// Seconds from the transfer's start to this request's.
    public var start = 0.0
    /// Seconds from this request's start to the end of its answer, or to what ended it.
    public var duration = 0.0
    /// Seconds from this request's start until its last byte was given to the kernel; 0 when it was not sent.
    public var requestEnd = 0.0
    /// Of this request alone: times count from its start, `redirect` and `redirectCount` are 0.
    public var metrics = EngineMetrics()
    /// Body bytes of this answer as they came out of their encoding.
    public var bytesDecoded: Int64 = 0
    public var usedProxy = false

    public init(url: String, method: String) {
        self.url = url
        self.method = method
    }
}

/// Cuts libcurl's sums over a chain of redirects into the numbers of each request. A pure value; whoever
/// owns it calls `add` when an answer's head says that another request follows, and at the end.
struct TransactionLog {
    private(set) var transactions: [EngineTransaction] = []
    private var before = EngineMetrics()
    private var bodyTime = 0.0
    private var bytesDecoded: Int64 = 0

    /// A piece of the request's body was given to libcurl, so many seconds after the transfer's start.
    mutating func didSend(at elapsed: Double) { bodyTime = elapsed }

    mutating func didDecode(_ count: Int) { bytesDecoded += Int64(count) }

    /// - Parameters:
    ///   - sum: libcurl's numbers now.
    ///   - elapsed: seconds since the transfer's start.
    mutating func add(
        url: String, method: String, head: EngineHead?, sum: EngineMetrics, elapsed: Double, proxyPort: Int?
    ) {
        var one = EngineTransaction(url: url, method: method)
        one.head = head
        one.start = sum.redirect
        one.duration = max(0, elapsed - sum.redirect)
        one.metrics = sum.since(before)
        one.requestEnd = bodyTime > 0 ? max(0, bodyTime - sum.redirect) : one.metrics.preTransfer
        one.bytesDecoded = bytesDecoded
        one.usedProxy = proxyPort != nil && proxyPort == sum.remotePort
        transactions.append(one)
        before = sum
        bodyTime = 0
        bytesDecoded = 0
    }
}

extension EngineMetrics {
    /// What was added after `earlier`. libcurl adds times and head sizes up over a chain, counts connections
    /// for all of it, and begins body counts anew with each request.
    fileprivate func since(_ earlier: EngineMetrics) -> EngineMetrics {
        var one = self
        one.nameLookup = max(0, nameLookup - earlier.nameLookup)
        one.connect = max(0, connect - earlier.connect)
        one.appConnect = max(0, appConnect - earlier.appConnect)
        one.preTransfer = max(0, preTransfer - earlier.preTransfer)
        one.startTransfer = max(0, startTransfer - earlier.startTransfer)
        one.total = max(0, total - earlier.total)
        one.redirect = 0
        one.redirectCount = 0
        one.requestHeaderBytes = max(0, requestHeaderBytes - earlier.requestHeaderBytes)
        one.responseHeaderBytes = max(0, responseHeaderBytes - earlier.responseHeaderBytes)
        one.connections = max(0, connections - earlier.connections)
        one.reusedConnection = one.connections == 0 && remotePort != 0
        return one
    }
}
