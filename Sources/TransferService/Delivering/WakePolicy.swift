// When a session's owner is started again, and how long it must wait for that: (record, input) → (record,
// actions). It decides and does nothing; the relauncher asks, writes down and carries out, in that order.
//
// A wake is for events that nobody has dealt with, or for a question that nobody has answered. Each one without
// the person in between doubles the delay before the next, and before work queued by the visit starts; the
// person takes that back, and so does a visit after which there is nothing left to do.
import Foundation
import TransferStore

/// What is known of a session when a wake is considered.
struct WakeFacts: Sendable, Equatable {
    /// A command is registered, and launch events are wanted and allowed.
    var mayLaunch: Bool
    var isOwned: Bool
    /// A task runs, waits for the owner's word, or will run by itself.
    var isUnderWay: Bool
    /// The sequence of the newest event that waits; 0 when none does.
    var newest: Int64
    /// The number of the newest question that waits for the owner; 0 when none does.
    var question: Int64 = 0
}

enum WakeInput: Sendable, Equatable {
    /// Something has changed, or the time has come. `token` names the visit, if one comes of it.
    case looked(WakeFacts, token: String)
    case started(pid: Int32, startTicks: UInt64)
    case notStarted(reason: String)
    /// A program that descends from a visit of that level has resumed a new task.
    case queued(level: Int)
    /// The program says that it has dealt with everything.
    case closed(leavesNothing: Bool)
    /// `status` as of waitpid; nil when it is not known.
    case ended(status: ExitWord, leavesNothing: Bool)
    case limitPassed
    /// An owner has dealt with, or withheld, all events up to this one.
    case dealtWith(newest: Int64)
    /// An owner attached that does not descend from a wake.
    case personCame
    /// The person ended the client on purpose, and with it perhaps the program of a visit.
    case quit(endsProgram: Bool)
}

/// How a program ended.
enum ExitWord: Sendable, Equatable {
    case exited(Int32)
    case signalled(Int32)
    /// It was another service's child.
    case unknown
}

enum WakeAction: Sendable, Equatable {
    case save
    /// Start the command. Answered by `.started` or `.notStarted`.
    case launch(token: String)
    /// Look again then, if nothing comes before.
    case lookAgain(at: Date)
    /// Send `.limitPassed` then.
    case limit(at: Date)
    /// Ask the program's group to end, and end it after a grace.
    case endProgram
    /// Work that was held back may begin.
    case releaseHeld
}

struct WakePolicy: Sendable {
    struct Settings: Sendable, Equatable {
        /// The delay after the first wake, in seconds, and the longest there is.
        var spacing = ServiceSettings.wakeSeconds.standard
        var cap = ServiceSettings.wakeCapSeconds.standard
        /// Seconds until a visit must have been closed, and from asking a program to end to ending it.
        var visitLimit = ServiceSettings.visitSeconds.standard
        var grace = 5.0

        init() {}

        init(environment: [String: String]) {
            spacing = ServiceSettings.wakeSeconds.value(environment)
            cap = ServiceSettings.wakeCapSeconds.value(environment)
            visitLimit = ServiceSettings.visitSeconds.value(environment)
        }

        func delay(level: Int) -> Double {
            guard level > 0 else { return 0 }
            return min(cap, spacing * pow(2, Double(min(level, 64) - 1)))
        }
    }

    private(set) var record: WakeRecord
    let settings: Settings

    init(_ record: WakeRecord, settings: Settings) {
        self.record = record
        self.settings = settings
    }

    mutating func handle(_ input: WakeInput, now: Date) -> [WakeAction] {
        switch input {
        case .looked(let facts, let token): return looked(facts, token, now)
        case .started(let pid, let ticks): return started(pid, ticks)
        case .notStarted(let reason): return notStarted(reason)
        case .queued(let level): return queued(level, now)
        case .closed(let leavesNothing):
            guard record.visit != nil else { return [] }
            return closed(.closed, leavesNothing)
        case .ended(let status, let leavesNothing): return ended(status, leavesNothing)
        case .limitPassed: return limitPassed()
        case .dealtWith(let newest):
            guard newest > record.seen else { return [] }
            record.seen = newest
            return [.save]
        case .personCame: return personCame()
        case .quit(let endsProgram):
            record.isQuit = true
            return endsProgram && record.visit != nil ? [.save, .endProgram] : [.save]
        }
    }

    // MARK: Waking

    private mutating func looked(_ facts: WakeFacts, _ token: String, _ now: Date) -> [WakeAction] {
        guard record.visit == nil, !record.isQuit, facts.mayLaunch, !facts.isOwned, isReason(facts)
        else { return [] }
        if let date = dueDate(now), date > now { return [.lookAgain(at: date)] }
        record.visit = WakeRecord.Visit(
            token: token, began: now, newest: facts.newest,
            question: facts.question > 0 ? facts.question : nil)
        record.launches += 1
        record.lastLaunch = now
        record.outcome = .visiting
        record.detail = nil
        count(1)
        return [.save, .launch(token: token)]
    }

    /// Events wait for the last task's end, so that one wake serves for all of them. A question does not: its
    /// task goes on no other way.
    private func isReason(_ facts: WakeFacts) -> Bool {
        facts.question > record.seenQuestion ?? 0 || (!facts.isUnderWay && facts.newest > record.seen)
    }

    /// A wall clock that was set back must not make a delay longer than it is.
    private func dueDate(_ now: Date) -> Date? {
        record.notBefore.map { min($0, now.addingTimeInterval(settings.delay(level: record.level))) }
    }

    /// One wake more, or an overrun, which counts as one.
    private mutating func count(_ more: Int) {
        record.level += more
        record.visitLevel = max(record.visitLevel, record.level)
        space(from: record.lastLaunch)
    }

    private mutating func space(from date: Date?) {
        guard let date else { return }
        let next = date.addingTimeInterval(settings.delay(level: record.level))
        record.notBefore = max(record.notBefore ?? next, next)
    }

    private mutating func started(_ pid: Int32, _ ticks: UInt64) -> [WakeAction] {
        guard let began = record.visit?.began else { return [] }
        record.visit?.pid = pid
        record.visit?.startTicks = ticks
        return [.save, .limit(at: began.addingTimeInterval(settings.visitLimit))]
    }

    private mutating func notStarted(_ reason: String) -> [WakeAction] {
        guard record.visit != nil else { return [] }
        return finish(.notStarted, reason)
    }

    // MARK: The visit

    private mutating func queued(_ level: Int, _ now: Date) -> [WakeAction] {
        record.visit?.hasQueued = true
        record.level = max(record.level, record.visitLevel, level, 1)
        record.visitLevel = record.level
        // Of a session that was never woken itself, the delay runs from here, once.
        if record.lastLaunch != nil || (record.notBefore ?? now) <= now {
            space(from: record.lastLaunch ?? now)
        }
        return [.save]
    }

    /// What it was woken for and left it has seen; it is not started again for that.
    private mutating func closed(_ outcome: WakeRecord.Outcome, _ leavesNothing: Bool) -> [WakeAction] {
        guard let visit = record.visit else { return [] }
        record.seen = max(record.seen, visit.newest)
        if let question = visit.question { record.seenQuestion = max(record.seenQuestion ?? 0, question) }
        if leavesNothing, !visit.hasQueued, !visit.isEnding {
            record.level = 0
            record.notBefore = nil
        }
        return finish(visit.isEnding ? .overran : outcome, record.detail)
    }

    private mutating func ended(_ status: ExitWord, _ leavesNothing: Bool) -> [WakeAction] {
        guard let visit = record.visit else { return [] }
        if visit.isEnding { return finish(.overran, record.detail) }
        switch status {
        case .exited(0): return closed(.exited, leavesNothing)
        case .exited(let status): return finish(.failed, "exit status \(status)")
        case .signalled(let signal): return finish(.failed, "ended by signal \(signal)")
        case .unknown: return finish(.failed, "it ended while no service ran")
        }
    }

    private mutating func limitPassed() -> [WakeAction] {
        guard let visit = record.visit, !visit.isEnding else { return [] }
        record.visit?.isEnding = true
        record.detail = "did not close its visit within \(Int(settings.visitLimit)) s"
        count(1)
        return [.save, .endProgram]
    }

    private mutating func finish(_ outcome: WakeRecord.Outcome, _ detail: String?) -> [WakeAction] {
        record.visit = nil
        record.outcome = outcome
        record.detail = detail
        return [.save]
    }

    // MARK: The person

    private mutating func personCame() -> [WakeAction] {
        guard record.level > 0 || record.visitLevel > 0 || record.isQuit || record.notBefore != nil else {
            return []
        }
        record.level = 0
        record.visitLevel = 0
        record.notBefore = nil
        record.isQuit = false
        return [.save, .releaseHeld]
    }
}
