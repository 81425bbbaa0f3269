// All that can happen around a ledger in a small world: callers who ask and may cancel, tasks that finish or
// fail, pauses that are answered with bytes or without. Every order is walked, and each step is held to what
// must be true whatever the order.

@testable import Downloads

struct LedgerWorld {
    /// What the environment still owes an attempt.
    private struct Task: Hashable {
        var key: String
        var hasEnded = false
        var isPaused = false
        var hasReplied = false
        /// The reply had bytes: the task cannot have finished.
        var gaveBytes = false
        var hasFinished = false
    }

    private var ledger = TestLedger(cancelled: "cancelled")
    private let callers: [String]
    private var mayLetGo: Bool
    private var asked = 0
    private var cancels: [Int: Int] = [:]
    private var tasks: [Int: Task] = [:]
    /// The attempt that serves each wish now, and whom.
    private var serving: [String: Int] = [:]
    private var waiting: [Int: String] = [:]
    private var answered: Set<Int> = []
    private var kept: [String: Int] = [:]
    private var path: [String] = []
    private var complaints: [String] = []

    init(callers: [String], letsGo: Bool) {
        self.callers = callers
        mayLetGo = letsGo
    }

    /// How many whole interleavings there are; the first complaint with the way to it. Orders that have led to the
    /// same world go on as one and are counted each.
    func explore(_ complain: (String, [String]) -> Void) -> Int {
        var known: [LedgerWorld: Int] = [:]
        var hasComplained = false
        func count(from world: LedgerWorld) -> Int {
            if let count = known[world] { return count }
            let steps = world.steps()
            if let complaint = world.complaints.first ?? (steps.isEmpty ? world.openEnds() : nil) {
                if !hasComplained { complain(complaint, world.path) }
                hasComplained = true
            }
            let total = steps.reduce(0) { sum, step in
                var after = world
                after.take(step)
                return sum + count(from: after)
            }
            known[world] = max(1, total)
            return max(1, total)
        }
        return count(from: self)
    }

    // MARK: What can come next

    private enum Step {
        case request, letGo
        case cancel(Int)
        case finish(Int)
        case fail(Int)
        case reply(Int, Int?)
    }

    private func steps() -> [Step] {
        var steps: [Step] = []
        if asked < callers.count { steps.append(.request) }
        if mayLetGo { steps.append(.letGo) }
        // A second cancel of the same token, which is a mistake, only for the first caller: it bounds the walk.
        for token in 1..<(asked + 1) where cancels[token, default: 0] < (token == 1 ? 2 : 1) {
            steps.append(.cancel(token))
        }
        for (attempt, task) in tasks.sorted(by: { $0.key < $1.key }) {
            if !task.hasEnded {
                if !task.gaveBytes { steps.append(.finish(attempt)) }
                steps.append(.fail(attempt))
            }
            if task.isPaused, !task.hasReplied {
                steps.append(.reply(attempt, nil))
                if !task.hasFinished { steps.append(.reply(attempt, attempt * 10)) }
            }
        }
        return steps
    }

    // MARK: One step

    private mutating func take(_ step: Step) {
        switch step {
        case .request: request()
        case .letGo:
            mayLetGo = false
            path.append("let go")
            let before = kept.keys.sorted()
            kept = [:]
            expect(
                ledger.letGo().map(\.words).sorted() == before.map { "forget \($0)" },
                "it let go of other things")
        case .cancel(let token): cancel(token)
        case .finish(let attempt): end(attempt, isFinish: true)
        case .fail(let attempt): end(attempt, isFinish: false)
        case .reply(let attempt, let bytes): reply(attempt, bytes)
        }
    }

    private mutating func request() {
        let key = callers[asked]
        asked += 1
        path.append("request \(asked) \(key)")
        waiting[asked] = key
        let actions = ledger.handle(.request(asked, key))
        if serving[key] != nil {
            return expect(actions.isEmpty, "a second transfer for one wish")
        }
        guard actions.count == 1, case .start(let attempt, key, let bytes) = actions[0] else {
            return expect(false, "no transfer was begun")
        }
        expect(tasks[attempt] == nil, "an attempt's number came twice")
        expect(bytes == kept.removeValue(forKey: key), "it went on from other bytes than were kept")
        tasks[attempt] = Task(key: key)
        serving[key] = attempt
    }

    private mutating func cancel(_ token: Int) {
        path.append("cancel \(token)")
        cancels[token, default: 0] += 1
        let actions = ledger.handle(.cancel(token)).map(\.words)
        guard let key = waiting.removeValue(forKey: token) else {
            return expect(actions.isEmpty, "a cancel of what has ended did something")
        }
        answered.insert(token)
        if waiting.values.contains(key) {
            return expect(actions == ["answer \(token) cancelled"], "others were not left alone")
        }
        guard let attempt = serving.removeValue(forKey: key) else {
            return expect(false, "somebody waited for nothing")
        }
        expect(
            actions == ["pause \(attempt)", "answer \(token) cancelled"],
            "the last one's cancel did not pause")
        tasks[attempt]?.isPaused = true
    }

    private mutating func end(_ attempt: Int, isFinish: Bool) {
        let ending = isFinish ? "file\(attempt)" : "failure\(attempt)"
        path.append(ending)
        tasks[attempt]?.hasEnded = true
        tasks[attempt]?.hasFinished = isFinish
        guard let task = tasks[attempt] else { return }
        let actions = ledger.handle(isFinish ? .finished(attempt, ending) : .failed(attempt, ending)).map(
            \.words)
        if serving[task.key] == attempt {
            serving[task.key] = nil
            let served = waiting.filter { $0.value == task.key }.keys.sorted()
            for token in served {
                waiting[token] = nil
                expect(answered.insert(token).inserted, "\(token) was answered twice")
            }
            return expect(
                actions == served.map { "answer \($0) \(ending)" } + ["forget \(task.key)"],
                "those who waited were not all answered")
        }
        // Paused, or replaced.
        let isReplaced = isReplaced(attempt)
        let nobodys = isFinish && !isReplaced ? ["unclaimed \(task.key) \(ending)"] : []
        let isLastWord = !isReplaced && !task.gaveBytes && (isFinish || task.hasReplied)
        expect(
            actions == nobodys + (isLastWord ? ["forget \(task.key)"] : []), "late news did something else")
    }

    private mutating func reply(_ attempt: Int, _ bytes: Int?) {
        path.append("reply \(attempt) \(bytes.map(String.init) ?? "nil")")
        tasks[attempt]?.hasReplied = true
        tasks[attempt]?.gaveBytes = bytes != nil
        guard let task = tasks[attempt] else { return }
        let actions = ledger.handle(.paused(attempt, bytes)).map(\.words)
        // A new transfer has taken its place, or it had finished: too late.
        if isReplaced(attempt) || task.hasFinished {
            return expect(actions.isEmpty, "a late reply did something")
        }
        if let bytes {
            kept[task.key] = bytes
            return expect(actions == ["keep \(task.key) \(bytes)"], "its bytes were not kept")
        }
        expect(actions == (task.hasEnded ? ["forget \(task.key)"] : []), "an empty reply did something else")
    }

    /// A later attempt was begun for the same wish.
    private func isReplaced(_ attempt: Int) -> Bool {
        let key = tasks[attempt]?.key
        return tasks.contains { $0.key > attempt && $0.value.key == key }
    }

    // MARK: What must be true

    private mutating func expect(_ isTrue: Bool, _ complaint: String) {
        if !isTrue { complaints.append(complaint) }
    }

    private func openEnds() -> String? {
        if !waiting.isEmpty { return "not answered: \(waiting.keys.sorted())" }
        if answered.count != asked { return "\(answered.count) answers for \(asked) callers" }
        return ledger.holdsResumeData == !kept.isEmpty ? nil : "resume data was lost or made up"
    }
}

/// Two worlds are one when the same can follow: the way there does not count.
extension LedgerWorld: Hashable {
    static func == (one: LedgerWorld, other: LedgerWorld) -> Bool {
        one.ledger == other.ledger && one.mayLetGo == other.mayLetGo && one.asked == other.asked
            && one.cancels == other.cancels && one.tasks == other.tasks && one.serving == other.serving
            && one.waiting == other.waiting && one.answered == other.answered && one.kept == other.kept
            && one.complaints == other.complaints
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ledger)
        hasher.combine(tasks)
        hasher.combine(waiting)
        hasher.combine(cancels)
    }
}
