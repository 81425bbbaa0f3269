// Metrics and progress, as an app gets them.
import Foundation
import Testing
import TransferProtocol

@testable import BackgroundURLSession

private final class Listener: NSObject, URLSessionTaskDelegate, @unchecked Sendable {
    let lines = Guarded<[String]>([])
    let metrics = Guarded<BackgroundURLSession.URLSessionTaskMetrics?>(nil)

    func urlSession(
        _ session: BackgroundURLSession.URLSession, task: BackgroundURLSession.URLSessionTask,
        didFinishCollecting metrics: BackgroundURLSession.URLSessionTaskMetrics
    ) {
        self.metrics.with { $0 = metrics }
        lines.with { $0.append("metrics \(task.state == .completed ? "late" : "in time")") }
    }

    func urlSession(
        _ session: BackgroundURLSession.URLSession, task: BackgroundURLSession.URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        lines.with { $0.append("complete") }
    }

    func waitForEnd() -> [String] {
        let deadline = Date(timeIntervalSinceNow: 20)
        while lines.with({ !$0.contains("complete") }), Date() < deadline { usleep(2000) }
        return lines.with { $0 }
    }
}

@Suite struct MetricsTests {
    @Test func thoseOfACancelledDataTaskAreTheServices() throws {
        let service = try FakeService()
        let listener = Listener()
        let session = URLSession(
            configuration: service.configuration(), delegate: listener, delegateQueue: nil)
        let task = session.dataTask(with: try #require(URL(string: "http://127.0.0.1:1/file")))
        task.resume()
        task.cancel()
        try session.commit()
        let start = Date(timeIntervalSince1970: 1000)
        var snapshot = TaskSnapshot.fake(1, .data, .failed)
        snapshot.metrics = TaskMetrics(
            created: start, ended: start.addingTimeInterval(4),
            transactions: [
                TransactionRecord(url: "http://127.0.0.1:1/file", method: "GET", start: start, end: 0.5)
            ])
        try service.event(1, .completed(error: .cancelled), snapshot)
        #expect(listener.waitForEnd() == ["metrics in time", "complete"])
        #expect(listener.metrics.with { $0?.transactionMetrics.count } == 1)
    }

    @Test func theyComeBeforeTheEndAndSayWhatWasMeasured() throws {
        let service = try FakeService()
        let listener = Listener()
        let session = URLSession(
            configuration: service.configuration(), delegate: listener, delegateQueue: nil)
        try session.waitUntilAttached()
        let start = Date(timeIntervalSince1970: 1000)
        var first = TransactionRecord(url: "http://127.0.0.1:1/file", method: "GET", start: start, end: 0.5)
        first.response = ResponseRecord(url: first.url, status: 302)
        first.lookupEnd = 0.125
        first.connectEnd = 0.25
        first.remotePort = 8765
        var last = TransactionRecord(url: "http://127.0.0.1:1/to", method: "GET", start: start, end: 2)
        last.response = ResponseRecord(url: last.url, status: 200)
        last.isReused = true
        last.responseStart = 1.5
        last.responseBodyBytes = 77
        last.protocolName = "http/1.1"
        last.tlsVersion = 0x0303
        last.tlsSuite = 0xC02F
        last.redirects = 1
        var snapshot = TaskSnapshot.fake(1, .download, .finished)
        snapshot.metrics = TaskMetrics(
            created: start, ended: start.addingTimeInterval(4), transactions: [first, last])
        try service.event(1, .completed(error: nil), snapshot)
        #expect(listener.waitForEnd() == ["metrics in time", "complete"])
        let metrics = try #require(listener.metrics.with { $0 })
        #expect(metrics.taskInterval.duration == 4)
        #expect(metrics.redirectCount == 1)
        try #require(metrics.transactionMetrics.count == 2)
        let (one, two) = (metrics.transactionMetrics[0], metrics.transactionMetrics[1])
        #expect(one.request.url?.path == "/file")
        #expect((one.response as? HTTPURLResponse)?.statusCode == 302)
        #expect(one.domainLookupStartDate == start)
        #expect(one.connectStartDate == start.addingTimeInterval(0.125))
        #expect(one.connectEndDate == start.addingTimeInterval(0.25))
        #expect(one.secureConnectionStartDate == nil)
        #expect(one.remotePort == 8765)
        #expect(two.request.url?.path == "/to")
        #expect(two.isReusedConnection && two.connectEndDate == nil)
        #expect(two.responseStartDate == start.addingTimeInterval(1.5))
        #expect(two.responseEndDate == start.addingTimeInterval(2))
        #expect(two.countOfResponseBodyBytesReceived == 77)
        #expect(two.networkProtocolName == "http/1.1")
        #expect(two.negotiatedTLSProtocolVersion == .TLSv12)
        #expect(two.negotiatedTLSCipherSuite == .ECDHE_RSA_WITH_AES_128_GCM_SHA256)
        #expect(one.negotiatedTLSProtocolVersion == nil && one.negotiatedTLSCipherSuite == nil)
        #expect(two.resourceFetchType == .networkLoad)
    }

    @Test func aTaskThatFailsHereHasAnIntervalAndNoRequest() throws {
        let service = try FakeService()
        let listener = Listener()
        let session = URLSession(
            configuration: service.configuration(), delegate: listener, delegateQueue: nil)
        session.downloadTask(with: try #require(URL(string: "ftp://h/file"))).resume()
        #expect(listener.waitForEnd() == ["metrics in time", "complete"])
        #expect(listener.metrics.with { $0?.transactionMetrics.isEmpty } == true)
    }

    @Test func progressIsRightAtOnceAfterAReattachment() async throws {
        let service = try FakeService()
        let known = TaskSnapshot.fake(1, .download, .running, received: 300, expected: 1200)
        let unknown = TaskSnapshot.fake(2, .download, .running, received: 300)
        var guessed = TaskSnapshot.fake(3, .download, .running, received: 300)
        guessed.clientExpectsToReceive = 600
        var upload = TaskSnapshot.fake(4, .upload, .running)
        upload.sent = 40
        upload.expectedToSend = 100
        let all = [known, unknown, guessed, upload]
        service.answer(ListTasks.method) { _ in .result(ListTasks.Result(tasks: all, next: nil)) }
        let session = URLSession(configuration: service.configuration())
        let tasks = await session.allTasks.sorted { $0.taskIdentifier < $1.taskIdentifier }
        try #require(tasks.count == 4)
        #expect(tasks[0].progress.fractionCompleted == 0.25)
        #expect(tasks[1].progress.isIndeterminate && tasks[1].progress.fractionCompleted == 0)
        #expect(tasks[1].progress.completedUnitCount == 300)
        #expect(tasks[2].progress.fractionCompleted == 0.5)
        #expect(tasks[3].progress.fractionCompleted == 0.4)
    }
}
