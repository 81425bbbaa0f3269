// Which events of the outbox this process has been given: after a reconnection the service gives again what
// it has no acknowledgement of, and a delegate must not hear it twice in one life.

struct EventLedger {
    enum Step: Equatable {
        case deliver
        /// Dealt with; the acknowledgement was lost on the way.
        case acknowledgeAgain
        /// Shown here, and left for the next process.
        case withholdAgain
        /// It is on its way to the delegate.
        case ignore
    }

    /// The task too: a service whose memory had to be begun anew counts its events from the start, but the
    /// client never gives an identifier twice.
    struct Key: Hashable {
        var sequence: Int64
        var task: Int
    }

    private enum Mark { case onTheWay, acknowledged, kept }
    private var marks: [Key: Mark] = [:]
    private var acknowledged: [Key] = []
    /// How many acknowledgements may be lost with one connection.
    private static let memory = 10_000

    mutating func receive(_ key: Key) -> Step {
        switch marks[key] {
        case nil:
            marks[key] = .onTheWay
            return .deliver
        case .acknowledged: return .acknowledgeAgain
        case .kept: return .withholdAgain
        case .onTheWay: return .ignore
        }
    }

    mutating func didAcknowledge(_ key: Key) {
        marks[key] = .acknowledged
        acknowledged.append(key)
        if acknowledged.count > 2 * Self.memory {
            for old in acknowledged.prefix(Self.memory) { marks[old] = nil }
            acknowledged.removeFirst(Self.memory)
        }
    }

    /// Shown, and left for the next process.
    mutating func didKeep(_ key: Key) { marks[key] = .kept }
}
