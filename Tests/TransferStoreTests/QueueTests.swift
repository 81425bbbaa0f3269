// Who goes first, and when the next date is.
import Foundation
import Testing
import TransferProtocol

@testable import TransferStore

@Suite struct QueueTests {
    let world: World
    let store: TransferStore
    let session: SessionRecord

    init() throws {
        world = try World()
        store = try world.open()
        session = try store.makeSession()
    }

    /// Takes one task after the other out of the lane, as the scheduler does.
    func drained(_ lane: String = "1 http://a", at now: Date = noon) throws -> [Int64] {
        var keys: [Int64] = []
        while var task = try store.nextQueued(lane: lane, now: now) {
            keys.append(task.key)
            task.phase = .running
            try store.save(task)
        }
        return keys
    }

    @Test func `higher priority goes first, and among equals the older`() throws {
        let plain = try store.add(to: session)
        let low = try store.add(to: session, priority: 0)
        let high = try store.add(to: session, priority: 1)
        let alsoPlain = try store.add(to: session)
        #expect(try drained() == [high.key, plain.key, alsoPlain.key, low.key])
    }

    @Test func `only queued tasks of the lane count`() throws {
        for phase in TaskRecord.Phase.allCases where phase != .queued {
            try store.add(to: session, phase: phase)
        }
        try store.add(to: session, lane: "1 http://b")
        #expect(try drained() == [])
        #expect(try store.lanesWithQueued(now: noon) == ["1 http://b"])
    }

    @Test func `a task with a date waits for it, whatever its priority`() throws {
        let dated = try store.add(to: session, priority: 1, begin: noon + 10)
        let past = try store.add(to: session, priority: 0.2, begin: noon - 10)
        let plain = try store.add(to: session)
        #expect(try store.nextQueued(lane: "1 http://a", now: noon)?.key == plain.key)
        #expect(try store.earliestBeginDate(after: noon) == noon + 10)
        #expect(try store.nextQueued(lane: "1 http://a", now: noon + 9.9)?.key == plain.key)
        #expect(try drained(at: noon + 10) == [dated.key, plain.key, past.key])
        #expect(try store.earliestBeginDate(after: noon) == nil)
        #expect(try store.task(key: dated.key)?.earliestBeginDate == noon + 10, "the record keeps its date")
    }

    @Test func `a date that is moved is looked at anew`() throws {
        var task = try store.add(to: session, begin: noon)
        #expect(try store.nextQueued(lane: task.lane, now: noon)?.key == task.key)
        task.earliestBeginDate = noon + 100
        try store.save(task)
        #expect(try store.nextQueued(lane: task.lane, now: noon) == nil)
        #expect(try store.earliestBeginDate(after: noon) == noon + 100)
        task.earliestBeginDate = nil
        try store.save(task)
        #expect(try store.nextQueued(lane: task.lane, now: noon)?.key == task.key)
    }

    @Test func `lanes are named once, and only while something in them may begin`() throws {
        for lane in ["2 http://b", "1 http://a", "2 http://b", "1 https://a"] {
            try store.add(to: session, lane: lane)
        }
        try store.add(to: session, lane: "3 http://c", begin: noon + 1)
        #expect(try store.lanesWithQueued(now: noon) == ["1 http://a", "1 https://a", "2 http://b"])
        #expect(try store.lanesWithQueued(now: noon + 1).last == "3 http://c")
    }

    @Test func `the next deadline is the earliest of those resumed and not ended`() throws {
        var configuration = SessionConfigurationRecord()
        configuration.timeoutForResource = 100
        let short = try store.makeSession(client: "c", identifier: "short", configuration: configuration)
        #expect(try store.nextResourceDeadline() == nil)
        try store.add(to: short)
        let late = try store.add(to: session, phase: .waiting, firstResumed: noon)
        var early = try store.add(to: short, phase: .running, firstResumed: noon + 1)
        try store.add(to: short, phase: .ended, firstResumed: noon - 1000)
        #expect(try store.nextResourceDeadline() == noon + 101)
        // One that has passed is being dealt with; to be woken for it again and again would be to spin.
        #expect(try store.nextResourceDeadline(after: noon + 101) == noon + 7 * 24 * 3600)
        #expect(try store.tasksPastDeadline(now: noon + 100) == [])
        #expect(try store.tasksPastDeadline(now: noon + 101) == [early.key])
        #expect(try store.tasksPastDeadline(now: .distantFuture) == [early.key, late.key])
        early.phase = .ended
        try store.save(early)
        #expect(try store.nextResourceDeadline() == noon + 7 * 24 * 3600)
    }

    @Test func `the next of 20,000 waiting tasks is found as fast as of 20`() throws {
        func fill(_ count: Int) throws {
            try store.begin()
            var task = try store.add(to: session, priority: 0.9, begin: noon + 1000)
            for identifier in 0..<count {
                task.identifier = identifier + 1_000_000 * count
                task.token = "\(count) \(identifier)"
                task.priority = Double(identifier % 7) / 10
                task.earliestBeginDate = identifier % 2 == 0 ? noon + 1000 : nil
                try store.insert(&task)
            }
            try store.commit()
        }
        func look() throws -> Duration {
            try ContinuousClock().measure {
                for _ in 0..<200 { _ = try store.nextQueued(lane: "1 http://a", now: noon) }
            }
        }
        try fill(20)
        let few = try look()
        try fill(20_000)
        let many = try look()
        #expect(many < few * 5 + .milliseconds(400), "\(few) for 20, \(many) for 20,000")
    }
}
