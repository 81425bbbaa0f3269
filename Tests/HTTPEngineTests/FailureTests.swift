// What libcurl says, in the engine's words. Pure: no transfer is needed to know them.
import CCurl
import Foundation
import Testing

@testable import HTTPEngine

struct FailureTests {
    @Test(arguments: [
        (0, EngineFailure.Kind.certificateWrongHost), (1, .certificateWrongHost),
        (9, .certificateNotYetValid),
        (10, .certificateExpired), (18, .certificateUntrusted), (20, .certificateUntrusted),
    ])
    func `a certificate's fault has a name`(_ verifyResult: Int, _ kind: EngineFailure.Kind) {
        let verdict = CurlVerdict(code: CURLE_PEER_FAILED_VERIFICATION, verifyResult: verifyResult)
        #expect(verdict.failure.kind == kind)
        #expect(verdict.failure.curlCode == 60)
    }

    @Test func `a reset in the handshake is a lost connection`() {
        #expect(
            CurlVerdict(code: CURLE_SSL_CONNECT_ERROR, osError: ECONNRESET).failure.kind == .connectionLost)
        #expect(CurlVerdict(code: CURLE_SSL_CONNECT_ERROR).failure.kind == .tlsFailed)
    }

    @Test func `what nobody thought of is internal and keeps its number`() {
        let failure = CurlVerdict(code: CURLE_OUT_OF_MEMORY).failure
        #expect(failure.kind == .internal)
        #expect(failure.curlCode == 27)
    }

    @Test func `a head is read line by line, folded and odd ones too`() {
        var reader = HeadReader()
        var block: HeadReader.Block?
        let lines: [[UInt8]] =
            ["stray: 1\r\n", "HTTP/1.1 200\r\n", "A:  b \r\n", " c\n", "nocolon\r\n"].map { Array($0.utf8) }
            + [Array("L: ".utf8) + [0xE4, 0x0D, 0x0A], [0x0D, 0x0A]]
        for line in lines { block = line.withUnsafeBytes { reader.take($0) } }
        #expect(block?.status == 200)
        #expect(
            block?.headers == [
                EngineHeader(name: "A", value: "b c"), EngineHeader(name: "L", value: "\u{E4}"),
            ])
    }

    @Test func `progress never steps back but by a rewind`() {
        var meter = ProgressMeter(total: 100)
        let steps = [(50, 10), (50, 30)].map { meter.measure(written: $0, unsent: $1) }
        #expect(steps == [true, false])
        #expect(meter.sent == 40)
        meter.rewind()
        _ = meter.measure(written: 20, unsent: -1)
        #expect(meter.sent == 20)
        let id = TransferID(rawValue: 1)
        let news = (0..<2).map { _ in meter.news(id, bodyLength: 0, expected: nil) }
        #expect(news.map { $0?.sent } == [20, nil])
    }

    @Test func `a body is synced by size or by time, one call at a time`() {
        var plan = SyncPlan(length: 5, now: 0)
        #expect(!plan.isDue(length: 5, now: 100))
        #expect(!plan.isDue(length: 6, now: 1))
        #expect(plan.isDue(length: 6, now: 2))
        #expect(plan.isDue(length: 5 + 8 << 20, now: 0.1))
        plan.begin(2)
        #expect(!plan.isDue(length: 9 << 20, now: 9))
        plan.end(length: 6, succeeded: true)
        #expect(plan.deadline(length: 6) == .infinity)
        #expect(plan.deadline(length: 7) == 4)
    }
}
