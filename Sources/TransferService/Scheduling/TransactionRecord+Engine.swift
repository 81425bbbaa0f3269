// From the engine's measurements to what is kept with a task. Pure.
import Foundation
import HTTPEngine
import TransferProtocol
import TransferStore

extension TransactionRecord {
    /// A head larger than this, in bytes, is kept without its fields: each save of the task writes it again.
    private static let largestHead: Int64 = 8 << 10

    init(_ transaction: EngineTransaction, began: Date, redirects: Int) {
        let metrics = transaction.metrics
        func time(_ seconds: Double) -> Double? { seconds > 0 ? seconds : nil }
        self.init(
            url: transaction.url, method: transaction.method,
            start: began.addingTimeInterval(transaction.start), end: transaction.duration)
        response = transaction.head.map(ResponseRecord.init)
        if metrics.responseHeaderBytes > Self.largestHead { response?.headers = [] }
        if !metrics.reusedConnection {
            lookupEnd = time(metrics.nameLookup)
            connectEnd = time(metrics.connect)
            secureEnd = time(metrics.appConnect)
        }
        requestStart = time(metrics.preTransfer)
        requestEnd = requestStart == nil ? nil : time(max(transaction.requestEnd, metrics.preTransfer))
        responseStart = transaction.head == nil ? nil : time(metrics.startTransfer)
        requestHeaderBytes = metrics.requestHeaderBytes
        requestBodyBytes = metrics.bytesSent
        responseHeaderBytes = metrics.responseHeaderBytes
        responseBodyBytes = metrics.bytesReceived
        decodedBodyBytes = transaction.bytesDecoded
        protocolName = metrics.protocolName
        tlsVersion = metrics.tlsVersion == 0 ? nil : metrics.tlsVersion
        tlsSuite = metrics.tlsSuite == 0 ? nil : metrics.tlsSuite
        localAddress = metrics.localAddress
        localPort = metrics.localPort == 0 ? nil : metrics.localPort
        remoteAddress = metrics.remoteAddress
        remotePort = metrics.remotePort == 0 ? nil : metrics.remotePort
        isReused = metrics.reusedConnection
        isProxied = transaction.usedProxy
        self.redirects = redirects
    }

    static func records(of outcome: EngineOutcome) -> [TransactionRecord] {
        outcome.transactions.enumerated().map {
            TransactionRecord($1, began: outcome.began, redirects: $0)
        }
    }
}

extension TaskRecord {
    /// A task that is tried for a week makes ten thousand attempts; the newest tell what there is to know.
    static let mostTransactions = 24

    mutating func note(_ transactions: [TransactionRecord]) {
        self.transactions = Array((self.transactions + transactions).suffix(Self.mostTransactions))
    }

    var metrics: TaskMetrics {
        TaskMetrics(created: created, ended: ended ?? created, transactions: transactions)
    }
}
