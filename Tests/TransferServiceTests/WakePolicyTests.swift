// When a session's owner is started again: every rule of the spacing, without a clock or a process.
import Foundation
import Testing

@testable import TransferService
@testable import TransferStore

@Suite struct WakePolicyTests {
    private static let noon = Date(timeIntervalSince1970: 1_800_000_000)
    private var policy = WakePolicy(WakeRecord(), settings: WakePolicy.Settings())
    private var now = noon

    private func facts(
        may: Bool = true, owned: Bool = false, underWay: Bool = false, newest: Int64 = 1,
        question: Int64 = 0
    ) -> WakeFacts {
        WakeFacts(
            mayLaunch: may, isOwned: owned, isUnderWay: underWay, newest: newest, question: question)
    }

    private mutating func look(newest: Int64 = 1) -> [WakeAction] {
        policy.handle(.looked(facts(newest: newest), token: "1-a"), now: now)
    }

    /// A visit from its start to what the closure says; the date on which the next may come.
    private mutating func visit(newest: Int64, _ rest: [WakeInput]) -> Date? {
        #expect(look(newest: newest) == [.save, .launch(token: "1-a")])
        _ = policy.handle(.started(pid: 7, startTicks: 8), now: now)
        for input in rest { _ = policy.handle(input, now: now) }
        return policy.record.notBefore
    }

    @Test mutating func `it is started once for what has ended, and its visit is limited`() {
        #expect(look() == [.save, .launch(token: "1-a")])
        #expect(look() == [])
        #expect(
            policy.handle(.started(pid: 7, startTicks: 8), now: now)
                == [.save, .limit(at: now.addingTimeInterval(30))])
        #expect(policy.record.outcome == .visiting)
        #expect(look(newest: 2) == [])
    }

    @Test mutating func `nobody is woken for nothing, beside an owner, too early, or against their will`() {
        for facts in [
            facts(may: false), facts(owned: true), facts(underWay: true), facts(newest: 0),
        ] {
            #expect(policy.handle(.looked(facts, token: "t"), now: now) == [])
        }
        #expect(policy.record == WakeRecord())
    }

    @Test mutating func `each wake that queues more doubles the delay, up to the cap`() {
        var delays: [Double] = []
        for newest in 1...14 {
            let next = visit(newest: Int64(newest), [.queued(level: 0), .closed(leavesNothing: true)])
            delays.append(next?.timeIntervalSince(now) ?? 0)
            now = next ?? now
        }
        #expect(delays.prefix(4) == [60, 120, 240, 480])
        #expect(delays.suffix(2) == [86_400, 86_400])
    }

    @Test mutating func `a wake that comes too early waits for its time`() {
        let next = visit(newest: 1, [.queued(level: 0), .closed(leavesNothing: true)])
        #expect(next == now.addingTimeInterval(60))
        now += 59
        #expect(look(newest: 2) == [.lookAgain(at: Self.noon + 60)])
        now += 1
        #expect(look(newest: 2) == [.save, .launch(token: "1-a")])
    }

    @Test mutating func `a visit after which there is nothing left to do starts the spacing anew`() {
        _ = visit(newest: 1, [.queued(level: 0), .closed(leavesNothing: true)])
        now += 60
        #expect(visit(newest: 2, [.closed(leavesNothing: true)]) == nil)
        #expect(policy.record.level == 0)
        #expect(look(newest: 3) == [.save, .launch(token: "1-a")])
    }

    @Test mutating func `a visit that took nothing is not repeated for the same results`() {
        #expect(visit(newest: 1, [.closed(leavesNothing: false)]) == now + 60)
        now += 1e6
        #expect(look(newest: 1) == [])
        #expect(look(newest: 2) == [.save, .launch(token: "1-a")])
        #expect(policy.record.level == 2)
    }

    @Test mutating func `a program that ends successfully without a word has closed its visit`() {
        #expect(visit(newest: 1, [.ended(status: .exited(0), leavesNothing: true)]) == nil)
        #expect(policy.record.outcome == .exited)
    }

    @Test mutating func `a program that fails is tried again, no more often than the spacing allows`() {
        #expect(visit(newest: 1, [.ended(status: .exited(3), leavesNothing: false)]) == now + 60)
        #expect(policy.record.detail == "exit status 3")
        #expect(look() == [.lookAgain(at: now + 60)])
        now += 60
        #expect(visit(newest: 1, [.ended(status: .signalled(11), leavesNothing: false)]) == now + 120)
        #expect(policy.record.outcome == .failed)
    }

    @Test mutating func `a command that cannot be started is noted and tried as rarely`() {
        #expect(look() == [.save, .launch(token: "1-a")])
        #expect(policy.handle(.notStarted(reason: "gone"), now: now) == [.save])
        #expect(policy.record.outcome == .notStarted)
        #expect(policy.record.detail == "gone")
        #expect(look() == [.lookAgain(at: now + 60)])
    }

    @Test mutating func `a visit beyond its time is ended, noted, and counts twice`() {
        #expect(look() == [.save, .launch(token: "1-a")])
        _ = policy.handle(.started(pid: 7, startTicks: 8), now: now)
        #expect(policy.handle(.limitPassed, now: now + 30) == [.save, .endProgram])
        #expect(policy.handle(.limitPassed, now: now + 30) == [])
        _ = policy.handle(.ended(status: .signalled(15), leavesNothing: false), now: now + 31)
        #expect(policy.record.outcome == .overran)
        #expect(policy.record.level == 2)
        #expect(policy.record.notBefore == now + 120)
    }

    @Test mutating func `a handler called after the time is over does not undo that`() {
        _ = visit(newest: 1, [.limitPassed, .closed(leavesNothing: true)])
        #expect(policy.record.outcome == .overran)
        #expect(policy.record.level == 2)
    }

    @Test mutating func `the person takes it all back, and what was held may begin`() {
        _ = visit(newest: 1, [.queued(level: 0), .limitPassed, .closed(leavesNothing: false)])
        #expect(policy.handle(.personCame, now: now) == [.save, .releaseHeld])
        #expect(policy.handle(.personCame, now: now) == [])
        #expect(look(newest: 2) == [.save, .launch(token: "1-a")])
        #expect(policy.record.level == 1)
    }

    @Test mutating func `work queued after the visit was closed counts as queued by it`() {
        _ = visit(newest: 1, [.queued(level: 0), .closed(leavesNothing: true)])
        now += 60
        #expect(visit(newest: 2, [.closed(leavesNothing: true)]) == nil)
        _ = policy.handle(.queued(level: 0), now: now)
        #expect(policy.record.level == 2)
        #expect(policy.record.notBefore == now + 120)
    }

    @Test mutating func `a session fed by another's visits has their spacing`() {
        _ = policy.handle(.queued(level: 3), now: now)
        _ = policy.handle(.queued(level: 3), now: now + 1)
        #expect(policy.record.notBefore == now + 240)
        #expect(look() == [.lookAgain(at: now + 240)])
    }

    @Test mutating func `results that an owner has withheld wake nobody`() {
        #expect(policy.handle(.dealtWith(newest: 4), now: now) == [.save])
        #expect(policy.handle(.dealtWith(newest: 4), now: now) == [])
        #expect(look(newest: 4) == [])
        #expect(look(newest: 5) == [.save, .launch(token: "1-a")])
    }

    @Test mutating func `a question wakes at once, beside tasks that run, and once`() {
        func ask(_ number: Int64) -> WakeInput {
            .looked(facts(underWay: true, newest: 0, question: number), token: "1-a")
        }
        #expect(policy.handle(ask(5), now: now) == [.save, .launch(token: "1-a")])
        #expect(policy.record.visit?.question == 5)
        _ = policy.handle(.started(pid: 7, startTicks: 8), now: now)
        // Answered or not, the task still stands there: the spacing stays, so that a wrong answer is not
        // given in a circle.
        _ = policy.handle(.closed(leavesNothing: false), now: now)
        #expect(policy.record.notBefore == now + 60)
        now += 1e6
        #expect(policy.handle(ask(5), now: now) == [])
        #expect(policy.handle(ask(6), now: now) == [.save, .launch(token: "1-a")])
        #expect(policy.record.level == 2)
    }

    @Test mutating func `a program that fails over a question is woken for it again, in its time`() {
        let asked = WakeInput.looked(facts(underWay: true, newest: 0, question: 5), token: "1-a")
        _ = policy.handle(asked, now: now)
        _ = policy.handle(.started(pid: 7, startTicks: 8), now: now)
        _ = policy.handle(.ended(status: .exited(1), leavesNothing: false), now: now)
        #expect(policy.handle(asked, now: now) == [.lookAgain(at: now + 60)])
        now += 60
        #expect(policy.handle(asked, now: now) == [.save, .launch(token: "1-a")])
    }

    @Test mutating func `nobody is woken for a question beside an owner, too early, or against their will`() {
        for facts in [
            facts(may: false, question: 5), facts(owned: true, question: 5),
        ] {
            #expect(policy.handle(.looked(facts, token: "t"), now: now) == [])
        }
        _ = policy.handle(.quit(endsProgram: false), now: now)
        #expect(policy.handle(.looked(facts(newest: 0, question: 5), token: "t"), now: now) == [])
    }

    @Test mutating func `who was quit on purpose is not woken before the person comes`() {
        #expect(policy.handle(.quit(endsProgram: true), now: now) == [.save])
        #expect(look() == [])
        _ = policy.handle(.personCame, now: now)
        #expect(look() == [.save, .launch(token: "1-a")])
        #expect(policy.handle(.quit(endsProgram: false), now: now) == [.save])
        #expect(policy.handle(.quit(endsProgram: true), now: now) == [.save, .endProgram])
    }

    @Test mutating func `a wall clock that is set back does not lengthen a delay`() {
        _ = visit(newest: 1, [.queued(level: 0), .closed(leavesNothing: true)])
        now -= 1e8
        #expect(look(newest: 2) == [.lookAgain(at: now + 60)])
    }

    @Test func `the spacing is read from the environment, and nonsense is passed over`() {
        let settings = WakePolicy.Settings(environment: [
            "URLSESSIOND_WAKE_SECONDS": "0.5", "URLSESSIOND_WAKE_CAP_SECONDS": "1.5",
            "URLSESSIOND_VISIT_SECONDS": "-1",
        ])
        #expect((1...4).map { settings.delay(level: $0) } == [0.5, 1, 1.5, 1.5])
        #expect(settings.visitLimit == 30)
    }
}
