// What is kept of the engine's measurements, and for how long.
import Foundation
import HTTPEngine
import Testing
import TransferProtocol
import TransferStore

@testable import TransferService

@Suite struct MetricsTests {
    private func record(_ number: Int) -> TransactionRecord {
        TransactionRecord(url: "http://h/\(number)", method: "GET", start: Date(), end: 1)
    }

    @Test func everyAttemptIsKeptUpToABound() {
        var machine = TransferMachine(Sample.task())
        func take(_ input: TransferInput) {
            _ = machine.handle(input, bodyLength: 0, now: Date(timeIntervalSince1970: 50), chance: 0.5)
        }
        take(.resume)
        for number in 1...30 {
            take(.admitted)
            take(
                .attemptEnded(
                    .lost(code: -1005, reason: "reset"), sent: 0, transactions: [record(number)]))
            #expect(machine.task.ended == nil)
            take(.retryDue)
        }
        #expect(machine.task.transactions.map(\.url) == (7...30).map { "http://h/\($0)" })
        take(.cancel(keeping: false, reason: nil))
        #expect(machine.task.ended == Date(timeIntervalSince1970: 50))
        #expect(machine.task.metrics.transactions.count == TaskRecord.mostTransactions)
    }

    @Test func aReusedConnectionHasNoLookupAndNoConnect() {
        var transaction = EngineTransaction(url: "http://h/", method: "GET")
        transaction.start = 2
        transaction.duration = 3
        transaction.metrics.nameLookup = 0.1
        transaction.metrics.connect = 0.2
        transaction.metrics.preTransfer = 0.3
        transaction.metrics.reusedConnection = true
        let began = Date(timeIntervalSince1970: 100)
        let reused = TransactionRecord(transaction, began: began, redirects: 1)
        #expect(reused.lookupEnd == nil && reused.connectEnd == nil)
        #expect(reused.start == Date(timeIntervalSince1970: 102))
        #expect(reused.requestStart == 0.3)
        #expect(reused.redirects == 1)
        transaction.metrics.reusedConnection = false
        #expect(TransactionRecord(transaction, began: began, redirects: 0).connectEnd == 0.2)
    }

    @Test func aHugeHeadIsKeptWithoutItsFields() {
        var transaction = EngineTransaction(url: "http://h/", method: "GET")
        transaction.head = EngineHead(
            url: "http://h/", status: 200, version: "HTTP/1.1",
            headers: [EngineHeader(name: "A", value: "b")], hasBody: false)
        transaction.metrics.responseHeaderBytes = 100_000
        let huge = TransactionRecord(transaction, began: Date(), redirects: 0)
        #expect(huge.response?.status == 200)
        #expect(huge.response?.headers == [])
    }

    @Test @TransferActor func theyAreOnDiskWithTheEndTheyBelongTo() async throws {
        let bench = try SchedulerBench()
        let (key, transfer) = try await bench.started()
        bench.answer(transfer)
        try bench.fill(key, 1000)
        var outcome = EngineOutcome(
            result: .success(()), head: nil, bodyLength: 1000, sent: 0, isCloseDelimited: false,
            metrics: EngineMetrics())
        outcome.transactions = [EngineTransaction(url: Sample.url, method: "GET")]
        bench.scheduler.take(.ended(TransferID(rawValue: transfer), outcome))
        await bench.settle()
        let task = try #require(try bench.task(key))
        #expect(task.metrics.transactions.map(\.url) == [Sample.url])
        #expect(task.metrics.ended >= task.metrics.created)
    }
}
