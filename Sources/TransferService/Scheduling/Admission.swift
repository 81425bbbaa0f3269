// Who may have a connection: the per-host limit of each session, and a bound on everything at once. Counts
// only; which task comes next the store's index knows.

struct Admission {
    /// Connections at once over all sessions: bounded by descriptors and memory, not by taste.
    static let totalLimit = 512

    private let limit: Int
    private(set) var total = 0
    private var perLane: [String: Int] = [:]
    /// Lanes that were refused only because everything was full.
    private var starved: Set<String> = []

    init(limit: Int = totalLimit) { self.limit = limit }

    /// Somebody waits only because everything is full.
    var isStarving: Bool { !starved.isEmpty && total >= limit }

    mutating func mayStart(lane: String, limit: Int) -> Bool {
        guard perLane[lane, default: 0] < max(1, limit) else { return false }
        guard total < self.limit else {
            starved.insert(lane)
            return false
        }
        return true
    }

    /// A suspended task keeps its open connection and counts in the total; it does not keep others of its lane
    /// from running, however long it stays suspended. When it goes on, its lane may be over the limit by it.
    mutating func take(lane: String, isPaused: Bool) {
        total += 1
        if !isPaused { perLane[lane, default: 0] += 1 }
    }

    mutating func release(lane: String, isPaused: Bool) {
        total -= 1
        guard !isPaused else { return }
        let left = perLane[lane, default: 0] - 1
        perLane[lane] = left > 0 ? left : nil
    }

    /// Lanes to try again now that there is room.
    mutating func starvedLanes() -> Set<String> {
        defer { starved = [] }
        return starved
    }
}
