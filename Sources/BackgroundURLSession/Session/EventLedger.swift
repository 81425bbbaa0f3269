// Which events of the outbox this process has been given: after a reconnection the service gives again what
// it has no acknowledgement of, and a delegate must not hear it twice in one life.

struct EventLedger {
    enum Step: Equatable {
        case deliver
        /// Dealt with; the acknowledgement was lost on the way.
        case acknowledgeAgain
        case ignore
    }

    private enum Mark { case onTheWay, acknowledged, kept }
    private var marks: [Int64: Mark] = [:]
    private var acknowledged: [Int64] = []
    /// How many acknowledgements may be lost with one connection.
    private static let memory = 10_000

    mutating func receive(_ sequence: Int64) -> Step {
        switch marks[sequence] {
        case nil:
            marks[sequence] = .onTheWay
            return .deliver
        case .acknowledged: return .acknowledgeAgain
        case .onTheWay, .kept: return .ignore
        }
    }

    mutating func didAcknowledge(_ sequence: Int64) {
        marks[sequence] = .acknowledged
        acknowledged.append(sequence)
        if acknowledged.count > 2 * Self.memory {
            for old in acknowledged.prefix(Self.memory) { marks[old] = nil }
            acknowledged.removeFirst(Self.memory)
        }
    }

    /// Shown, and left for the next process.
    mutating func didKeep(_ sequence: Int64) { marks[sequence] = .kept }
}
