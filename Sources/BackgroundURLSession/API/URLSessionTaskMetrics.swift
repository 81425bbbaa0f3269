// What was measured of a task. FoundationNetworking's classes of these names cannot be made outside of it.
import Foundation
import FoundationNetworking
import TransferProtocol

/// The measurements of a task, told to the delegate before `didCompleteWithError`.
open class URLSessionTaskMetrics: NSObject, @unchecked Sendable {
    // Unchecked: nothing changes after `init`.
    /// Where an answer came from. On Linux always `networkLoad`: nothing is cached, nothing pushed.
    public enum ResourceFetchType: Int, Sendable {
        case unknown = 0
        case networkLoad = 1
        case serverPush = 2
        case localCache = 3
    }

    /// How host names were looked up. On Linux always `unknown`: the system's resolver does not say.
    public enum DomainResolutionProtocol: Int, Sendable {
        case unknown = 0
        case udp = 1
        case tcp = 2
        case tls = 3
        case https = 4
    }

    /// Every request that was made for the task, oldest first: each attempt, with the redirects that it went
    /// through. On Linux the newest 24.
    open var transactionMetrics: [URLSessionTaskTransactionMetrics] { transactions }
    /// From the making of the task to its end, also where another process made it.
    open var taskInterval: DateInterval { interval }
    /// Redirects that the last attempt followed.
    open var redirectCount: Int { redirects }

    private let transactions: [URLSessionTaskTransactionMetrics]
    private let interval: DateInterval
    private let redirects: Int

    init(_ record: TaskMetrics, request: URLRequest?) {
        transactions = record.transactions.map { URLSessionTaskTransactionMetrics($0, original: request) }
        // The wall clock may have been set back meanwhile.
        interval = DateInterval(start: record.created, end: max(record.created, record.ended))
        redirects = record.transactions.last?.redirects ?? 0
    }

    open override var description: String {
        "\(type(of: self)) <\(interval.duration) s, \(redirects) redirects, \(transactions)>"
    }
}
