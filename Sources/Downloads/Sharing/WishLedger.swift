// Who waits for what, as a pure machine: (state, input) → (state, actions). One transfer for a wish however
// many callers; every caller is answered exactly once. It starts nothing and calls nobody: DownloadService
// carries out what it returns, in order, and calls the callers when it is outside.
//
// An attempt is one task's life. What is said of an attempt that is not its wish's present one is late news of
// a task that was replaced, and is dropped.

struct WishLedger<Key: Hashable & Sendable, Ending: Sendable, ResumeData: Hashable & Sendable> {
    typealias Attempt = Int
    typealias Token = Int

    enum Input {
        /// A caller wants it. Each token is used once.
        case request(Token, Key)
        /// A caller does not want it any more. Whoever has been answered cannot cancel.
        case cancel(Token)
        /// The reply to `pause`; nil when its bytes cannot be continued.
        case paused(Attempt, ResumeData?)
        /// The task has had its last word, and it was what its wish asked for.
        case finished(Attempt, Ending)
        /// The task has had its last word, and it was another.
        case failed(Attempt, Ending)
    }

    enum Action {
        /// Begin a task, with those bytes if there are any.
        case start(Attempt, Key, ResumeData?)
        /// Cancel the task, producing resume data.
        case pause(Attempt)
        case answer(Token, Ending)
        /// It has ended and nobody here waits for it.
        case unclaimed(Key, Ending)
        /// Write down where it goes on.
        case keep(Key, ResumeData)
        /// Nothing is left to go on from.
        case forget(Key)
    }

    /// Where a wish stands. One that is not in the book is at rest with nothing held.
    private enum Course: Hashable {
        /// `isStanding`: it was queued for its own sake, or by an earlier process, and goes on without callers.
        case running(Attempt, callers: [Token], isStanding: Bool)
        /// The last caller is gone and the resume data is on its way.
        case pausing(Attempt, heard: HalfHeard)
        case paused(ResumeData)
    }

    /// A pause is answered by a reply and by the task's last word, in either order; only both tell that nothing
    /// came of it, since the task may have finished before it could be paused.
    private enum HalfHeard {
        case nothing, emptyReply, failure
    }

    /// What a caller who cancels is answered.
    let cancelled: Ending
    private var courses: [Key: Course] = [:]
    private var keys: [Attempt: Key] = [:]
    private var wanted: [Token: Key] = [:]
    private var lastAttempt = 0

    init(cancelled: Ending) { self.cancelled = cancelled }

    mutating func handle(_ input: Input) -> [Action] {
        switch input {
        case .request(let token, let key): request(token, key)
        case .cancel(let token): cancel(token)
        case .paused(let attempt, let data): paused(attempt, data)
        case .finished(let attempt, let ending): finished(attempt, ending)
        case .failed(let attempt, let ending): failed(attempt, ending)
        }
    }

    // MARK: Before the first input, and beside them

    /// A task that was made elsewhere is wanted for its own sake. Nil when another one serves the wish already;
    /// what a paused wish held is used up by it.
    mutating func adopt(_ key: Key) -> Attempt? {
        switch courses[key] {
        case .running: return nil
        case .pausing(let old, _): keys[old] = nil
        case .paused, nil: break
        }
        return run(key, callers: [], isStanding: true)
    }

    /// A wish that was paused, by this process or an earlier one.
    mutating func remember(_ key: Key, _ data: ResumeData) {
        if courses[key] == nil { courses[key] = .paused(data) }
    }

    /// Begins a transfer for its own sake: nobody need wait for it. Nothing when it runs already.
    mutating func queue(_ key: Key) -> [Action] {
        stand(key) ? [] : start(key, callers: [], isStanding: true)
    }

    /// If the wish's transfer runs, it does not stop any more when its last caller leaves. Whether it runs.
    mutating func stand(_ key: Key) -> Bool {
        guard case .running(let attempt, let callers, _) = courses[key] else { return false }
        courses[key] = .running(attempt, callers: callers, isStanding: true)
        return true
    }

    /// What a paused wish goes on from.
    func held(_ key: Key) -> ResumeData? {
        if case .paused(let data) = courses[key] { data } else { nil }
    }

    /// Memory runs low: paused wishes begin at 0 next time; what runs is not touched.
    mutating func letGo() -> [Action] {
        let held = courses.compactMap { key, course in
            if case .paused = course { key } else { nil }
        }
        for key in held { courses[key] = nil }
        return held.map { .forget($0) }
    }

    /// Whether a wish is paused with something to go on from.
    var holdsResumeData: Bool {
        courses.values.contains { if case .paused = $0 { true } else { false } }
    }

    // MARK: Inputs

    private mutating func request(_ token: Token, _ key: Key) -> [Action] {
        wanted[token] = key
        if case .running(let attempt, let callers, let isStanding) = courses[key] {
            courses[key] = .running(attempt, callers: callers + [token], isStanding: isStanding)
            return []
        }
        return start(key, callers: [token], isStanding: false)
    }

    private mutating func start(_ key: Key, callers: [Token], isStanding: Bool) -> [Action] {
        var data: ResumeData?
        switch courses[key] {
        case .paused(let held): data = held
        // Its bytes are not known yet: this one begins anew, and what comes of the old attempt is late.
        case .pausing(let old, _): keys[old] = nil
        case .running, nil: break
        }
        return [.start(run(key, callers: callers, isStanding: isStanding), key, data)]
    }

    private mutating func run(_ key: Key, callers: [Token], isStanding: Bool) -> Attempt {
        lastAttempt += 1
        keys[lastAttempt] = key
        courses[key] = .running(lastAttempt, callers: callers, isStanding: isStanding)
        return lastAttempt
    }

    private mutating func cancel(_ token: Token) -> [Action] {
        guard let key = wanted.removeValue(forKey: token),
            case .running(let attempt, let callers, let isStanding) = courses[key]
        else { return [] }
        let left = callers.filter { $0 != token }
        let answer = Action.answer(token, cancelled)
        guard left.isEmpty, !isStanding else {
            courses[key] = .running(attempt, callers: left, isStanding: isStanding)
            return [answer]
        }
        courses[key] = .pausing(attempt, heard: .nothing)
        return [.pause(attempt), answer]
    }

    private mutating func paused(_ attempt: Attempt, _ data: ResumeData?) -> [Action] {
        guard let key = keys[attempt], case .pausing(_, let heard) = courses[key] else { return [] }
        if let data {
            keys[attempt] = nil
            courses[key] = .paused(data)
            return [.keep(key, data)]
        }
        if heard == .failure { return rest(attempt, key) }
        courses[key] = .pausing(attempt, heard: .emptyReply)
        return []
    }

    private mutating func finished(_ attempt: Attempt, _ ending: Ending) -> [Action] {
        guard let key = keys[attempt] else { return [] }
        let news = tell(key, ending)
        return news + rest(attempt, key)
    }

    private mutating func failed(_ attempt: Attempt, _ ending: Ending) -> [Action] {
        guard let key = keys[attempt] else { return [] }
        if case .pausing(_, let heard) = courses[key] {
            if heard == .emptyReply { return rest(attempt, key) }
            courses[key] = .pausing(attempt, heard: .failure)
            return []
        }
        return tell(key, ending) + rest(attempt, key)
    }

    private mutating func tell(_ key: Key, _ ending: Ending) -> [Action] {
        guard case .running(_, let callers, _) = courses[key], !callers.isEmpty else {
            return [.unclaimed(key, ending)]
        }
        for token in callers { wanted[token] = nil }
        return callers.map { .answer($0, ending) }
    }

    private mutating func rest(_ attempt: Attempt, _ key: Key) -> [Action] {
        keys[attempt] = nil
        courses[key] = nil
        return [.forget(key)]
    }
}

extension WishLedger: Equatable where Ending: Equatable {}
extension WishLedger: Hashable where Ending: Hashable {}
