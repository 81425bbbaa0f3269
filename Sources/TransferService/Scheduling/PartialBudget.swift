// How much the partial files of paused and failed downloads may take up on disk. Beyond it the oldest go, and
// their downloads begin at 0 if they are asked for again. What runs has no part in this. Pure, but for the reading
// of the environment.
import Foundation
import TransferStore

struct PartialBudget: Equatable, Sendable {
    /// Bytes.
    var bytes: Int64

    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        bytes = ServiceSettings.partialBytes.value(environment)
    }

    init(bytes: Int64) { self.bytes = bytes }

    /// Those that have to go, oldest first. The newest stays, whatever its size: somebody has just paused it.
    func excess(of partials: [PartialRecord]) -> [PartialRecord] {
        let oldestFirst = partials.sorted { ($0.created, $0.token) < ($1.created, $1.token) }
        // As a real number: what a database says may not fit.
        var sum = partials.reduce(0.0) { $0 + Double($1.bytes) }
        return oldestFirst.dropLast().filter { partial in
            guard sum > Double(bytes) else { return false }
            sum -= Double(partial.bytes)
            return true
        }
    }
}

extension Scheduler {
    /// Brings the partial files within their budget. Asked when `expirePartials` is, and behind it.
    func trimPartials() throws(StoreError) {
        for partial in partialBudget.excess(of: try store.partials()) {
            let taken = try turn.write { store throws(StoreError) in
                try store.takePartial(token: partial.token)
            }
            guard let taken else { continue }
            turn.afterCommit { [bodies] in
                bodies.remove(taken)
                ServiceLog.note("\(taken.bytes) bytes of a paused download make room for newer ones")
            }
        }
    }
}
