// Who is answered what: single stories, and every interleaving of a small world's inputs up to a bound.

import Foundation
import Testing

@testable import Downloads

typealias TestLedger = WishLedger<String, String, Int>

/// Actions as words, for comparing.
extension WishLedger.Action where Key == String, Ending == String, ResumeData == Int {
    var words: String {
        switch self {
        case .start(let attempt, let key, let data):
            "start \(attempt) \(key)" + (data.map { " at \($0)" } ?? "")
        case .pause(let attempt): "pause \(attempt)"
        case .answer(let token, let ending): "answer \(token) \(ending)"
        case .unclaimed(let key, let ending): "unclaimed \(key) \(ending)"
        case .keep(let key, let data): "keep \(key) \(data)"
        case .forget(let key): "forget \(key)"
        }
    }
}

struct WishLedgerTests {
    /// What each input of a story brings.
    func story(_ inputs: [TestLedger.Input]) -> [String] {
        var ledger = TestLedger(cancelled: "cancelled")
        return inputs.map { ledger.handle($0).map(\.words).joined(separator: ", ") }
    }

    @Test func `two callers of one wish are served by one transfer`() {
        #expect(
            story([.request(1, "a"), .request(2, "a"), .finished(1, "file")])
                == ["start 1 a", "", "answer 1 file, answer 2 file, forget a"])
    }

    @Test func `different wishes are not shared`() {
        #expect(story([.request(1, "a"), .request(2, "b")]) == ["start 1 a", "start 2 b"])
    }

    @Test func `cancelling one leaves the others`() {
        #expect(
            story([.request(1, "a"), .request(2, "a"), .cancel(1), .failed(1, "lost")])
                == ["start 1 a", "", "answer 1 cancelled", "answer 2 lost, forget a"])
    }

    @Test func `cancelling the last pauses, and the next request goes on from there`() {
        #expect(
            story([.request(1, "a"), .cancel(1), .paused(1, 70), .failed(1, "-999"), .request(2, "a")])
                == ["start 1 a", "pause 1, answer 1 cancelled", "keep a 70", "", "start 2 a at 70"])
    }

    @Test func `a request before the resume data begins anew, and late news is dropped`() {
        #expect(
            story([
                .request(1, "a"), .cancel(1), .request(2, "a"), .paused(1, 70), .failed(1, "-999"),
                .finished(2, "file"),
            ]) == [
                "start 1 a", "pause 1, answer 1 cancelled", "start 2 a", "", "", "answer 2 file, forget a",
            ])
    }

    @Test func `what finished before it could be paused is nobody's, and not lost`() {
        for reply: [TestLedger.Input] in [
            [.paused(1, nil), .finished(1, "file")], [.finished(1, "file"), .paused(1, nil)],
        ] {
            let seen = story([.request(1, "a"), .cancel(1)] + reply)
            #expect(seen.suffix(2).filter { !$0.isEmpty } == ["unclaimed a file, forget a"])
        }
    }

    @Test func `a pause that keeps nothing leaves no record`() {
        for reply: [TestLedger.Input] in [
            [.paused(1, nil), .failed(1, "-999")], [.failed(1, "-999"), .paused(1, nil)],
        ] {
            let seen = story([.request(1, "a"), .cancel(1)] + reply + [.request(2, "a")])
            #expect(seen.suffix(3).filter { !$0.isEmpty } == ["forget a", "start 2 a"])
        }
    }

    @Test func `cancelling what has ended does nothing`() {
        #expect(
            story([.request(1, "a"), .finished(1, "file"), .cancel(1), .cancel(7)]).suffix(2) == ["", ""])
    }

    @Test func `a task of an earlier process goes on without callers and stops for none`() {
        var ledger = TestLedger(cancelled: "cancelled")
        #expect(ledger.adopt("a") == 1)
        #expect(ledger.adopt("a") == nil)
        #expect(ledger.handle(.request(1, "a")).isEmpty)
        #expect(ledger.handle(.cancel(1)).map(\.words) == ["answer 1 cancelled"])
        #expect(ledger.handle(.finished(1, "file")).map(\.words) == ["unclaimed a file", "forget a"])
    }

    @Test func `a wish that is queued while it runs does not stop with its last caller`() {
        var ledger = TestLedger(cancelled: "cancelled")
        _ = ledger.handle(.request(1, "a"))
        #expect(ledger.queue("a").isEmpty)
        #expect(ledger.handle(.cancel(1)).map(\.words) == ["answer 1 cancelled"])
        #expect(ledger.queue("b").map(\.words) == ["start 2 b"])
    }

    @Test func `low memory lets go of what is paused and of nothing that runs`() {
        var ledger = TestLedger(cancelled: "cancelled")
        ledger.remember("a", 70)
        _ = ledger.handle(.request(1, "b"))
        #expect(ledger.holdsResumeData)
        #expect(ledger.letGo().map(\.words) == ["forget a"])
        #expect(!ledger.holdsResumeData)
        #expect(ledger.handle(.request(2, "a")).map(\.words) == ["start 2 a"])
        #expect(ledger.handle(.finished(1, "file")).map(\.words) == ["answer 1 file", "forget b"])
    }

    @Test func `every caller is answered exactly once in every interleaving`() {
        var tried = 0
        // Sanitized code is slow, and finds in two callers what it finds in three: Scripts/sanitize asks for less.
        let isSmall = ProcessInfo.processInfo.environment["EXPLORE_CALLERS"] == "2"
        let callers = isSmall ? 2 : 3
        for world in [
            LedgerWorld(callers: Array(["a", "a", "a"].prefix(callers)), letsGo: false),
            LedgerWorld(callers: Array(["a", "b", "a"].prefix(callers)), letsGo: false),
            LedgerWorld(callers: Array(["a", "a"].prefix(callers - 1)), letsGo: true),
        ] {
            tried += world.explore { complaint, path in
                Issue.record("\(complaint), after: \(path.joined(separator: "; "))")
            }
        }
        print("tried \(tried) interleavings of \(callers) callers")
        #expect(tried > (isSmall ? 1000 : 1_000_000))
    }
}
