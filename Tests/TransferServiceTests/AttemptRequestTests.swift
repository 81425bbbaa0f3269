// What goes out for one attempt: the request's fields, the session's, and the range.
import Foundation
import HTTPEngine
import Testing
import TransferProtocol
import TransferStore

@testable import TransferService

@Suite struct AttemptRequestTests {
    private let rest = AttemptPlan.rest(from: 400, ifRange: "\"v1\"")

    private func lines(
        _ plan: AttemptPlan, _ own: [HeaderField] = [], session: [HeaderField] = [],
        kind: TaskKind = .download
    ) -> [String] {
        var task = Sample.task(kind)
        task.held = Sample.held()
        task.request.headers = own
        var configuration = SessionConfigurationRecord()
        configuration.additionalHeaders = session
        return AttemptRequest.make(task, configuration, plan: plan, sink: "/s").headers
            .map { "\($0.name): \($0.value)" }
    }

    @Test func theRestIsAskedForByOneRangeAndItsCondition() {
        #expect(lines(rest) == ["Range: bytes=400-", "If-Range: \"v1\""])
        #expect(lines(.whole) == [])
    }

    @Test func theRequestsFieldsWinOverTheSessions() {
        #expect(
            lines(
                .whole, [HeaderField("x-a", "own")],
                session: [HeaderField("X-A", "no"), HeaderField("X-B", "2")])
                == ["x-a: own", "X-B: 2"])
    }

    @Test func noOtherRangeOrConditionGoesOutBesideOurs() {
        let others = [HeaderField("range", "bytes=0-"), HeaderField("If-range", "\"old\"")]
        #expect(lines(rest, [others[1]]) == lines(rest))
        #expect(lines(rest, session: others) == lines(rest))
    }

    @Test func aRangeOfTheAppsGoesOutAsItIs() {
        let range = HeaderField("Range", "bytes=5-9")
        #expect(lines(.whole, [range]) == ["Range: bytes=5-9"])
        #expect(!OwnConditions([HeaderField("x-range", "bytes=5-9")]).asksRange)
        #expect(OwnConditions([range]).asksRange)
        #expect(OwnConditions([HeaderField("range", "bytes=5-")]).asksRange)
    }

    /// A 304 or a 412 would otherwise take the place of the bytes that are held.
    @Test func theAppsOwnConditionsGoOutUntilThereAreBytesToContinue() {
        let own = ["If-None-Match", "if-match", "IF-MODIFIED-SINCE", "If-Unmodified-Since"]
            .map { HeaderField($0, "x") }
        #expect(lines(.whole, own) == own.map { "\($0.name): x" })
        #expect(lines(rest, own) == lines(rest))
        #expect(lines(rest, session: own) == lines(rest))
    }

    /// A compressed body cannot be continued; the engine itself asks for `identity`.
    @Test func aDownloadAsksForNoCompression() {
        #expect(lines(.whole, [HeaderField("accept-encoding", "gzip")]) == [])
        #expect(lines(.whole, session: [HeaderField("Accept-Encoding", "br")]) == [])
    }

    @Test func everyAttemptBeginsFromTheOriginalAddressByteForByte() {
        var task = Sample.task()
        task.request.url = "http://h/a%2Bb%40c/..%2f?x=%zz+y"
        task.response = ResponseRecord(url: "http://elsewhere/signed", status: 200)
        let request = AttemptRequest.make(task, SessionConfigurationRecord(), plan: .whole, sink: "/s")
        #expect(request.url == task.request.url)
    }
}
