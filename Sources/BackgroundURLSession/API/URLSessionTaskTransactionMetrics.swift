// What was measured of one request and its answer, by libcurl.
import Foundation
import FoundationNetworking
import TransferProtocol

/// One request and its answer. Dates are of the wall clock, with libcurl's microseconds; nil for what did not
/// happen, such as a name lookup on a connection that was there.
open class URLSessionTaskTransactionMetrics: NSObject, @unchecked Sendable {
    // Unchecked: nothing changes after `init`.
    private let record: TransactionRecord
    private let sent: URLRequest
    private let answer: HTTPURLResponse?

    init(_ record: TransactionRecord, original: URLRequest?) {
        self.record = record
        answer = record.response.flatMap { HTTPURLResponse($0) }
        var request = original
        if request?.url?.absoluteString != record.url {
            request = URLRequest(RequestRecord(url: record.url, method: record.method))
        }
        sent = request ?? URLRequest(url: URL(fileURLWithPath: "/"))
    }

    /// The request. On Linux one that a redirect made has an address and a method only.
    open var request: URLRequest { sent }
    /// The answer's head; nil when none came. A head of more than 8 KiB has no fields here.
    open var response: URLResponse? { answer }

    open var fetchStartDate: Date? { record.start }
    open var domainLookupStartDate: Date? { record.lookupEnd == nil ? nil : record.start }
    open var domainLookupEndDate: Date? { date(record.lookupEnd) }
    open var connectStartDate: Date? { record.connectEnd == nil ? nil : date(record.lookupEnd ?? 0) }
    open var secureConnectionStartDate: Date? {
        record.secureEnd == nil ? nil : date(record.connectEnd ?? 0)
    }
    open var secureConnectionEndDate: Date? { date(record.secureEnd) }
    /// With the TLS handshake, where there is one.
    open var connectEndDate: Date? { date(record.secureEnd ?? record.connectEnd) }
    open var requestStartDate: Date? { date(record.requestStart) }
    /// When the last byte was given to the kernel.
    open var requestEndDate: Date? { date(record.requestEnd) }
    open var responseStartDate: Date? { date(record.responseStart) }
    open var responseEndDate: Date? { record.response == nil ? nil : date(record.end) }

    open var countOfRequestHeaderBytesSent: Int64 { record.requestHeaderBytes }
    open var countOfRequestBodyBytesSent: Int64 { record.requestBodyBytes }
    /// The same: bodies are sent as they are.
    open var countOfRequestBodyBytesBeforeEncoding: Int64 { record.requestBodyBytes }
    open var countOfResponseHeaderBytesReceived: Int64 { record.responseHeaderBytes }
    open var countOfResponseBodyBytesReceived: Int64 { record.responseBodyBytes }
    open var countOfResponseBodyBytesAfterDecoding: Int64 { record.decodedBodyBytes }

    /// As ALPN spells it: `http/1.1`, `h2`; nil before an answer.
    open var networkProtocolName: String? { record.protocolName }
    open var localAddress: String? { record.localAddress }
    open var localPort: Int? { record.localPort }
    /// The proxy's, where there is one.
    open var remoteAddress: String? { record.remoteAddress }
    open var remotePort: Int? { record.remotePort }
    open var isProxyConnection: Bool { record.isProxied }
    open var isReusedConnection: Bool { record.isReused }

    /// Nil without TLS.
    open var negotiatedTLSProtocolVersion: tls_protocol_version_t? {
        record.tlsVersion.flatMap(UInt16.init(exactly:)).flatMap(tls_protocol_version_t.init(rawValue:))
    }
    /// Nil without TLS, and for a suite that Foundation has no name for.
    open var negotiatedTLSCipherSuite: tls_ciphersuite_t? {
        record.tlsSuite.flatMap(UInt16.init(exactly:)).flatMap(tls_ciphersuite_t.init(rawValue:))
    }
    /// Always false on Linux, as are the next three.
    open var isCellular: Bool { false }
    open var isExpensive: Bool { false }
    open var isConstrained: Bool { false }
    open var isMultipath: Bool { false }
    open var resourceFetchType: URLSessionTaskMetrics.ResourceFetchType {
        record.response == nil ? .unknown : .networkLoad
    }
    open var domainResolutionProtocol: URLSessionTaskMetrics.DomainResolutionProtocol { .unknown }

    open override var description: String {
        "\(record.method) \(answer.map { "\($0.statusCode)" } ?? "-") in \(record.end) s"
    }

    private func date(_ seconds: Double?) -> Date? { seconds.map(record.start.addingTimeInterval) }
}
