// Transfers whose source is being opened, which may take for ever: they are not libcurl's yet, and can be
// paused, cancelled and timed out like those that are. A value; it lives on curl's thread.
import Foundation

struct OpeningSources {
    struct Opening {
        var request: EngineRequest
        var isPaused = false
        var deadline: Double
    }

    private var all: [TransferID: Opening] = [:]

    subscript(id: TransferID) -> Opening? { all[id] }

    mutating func begin(_ id: TransferID, _ request: EngineRequest, now: Double) -> Double {
        let deadline = request.idleTimeout > 0 ? now + request.idleTimeout : .infinity
        all[id] = Opening(request: request, deadline: deadline)
        return deadline
    }

    mutating func pause(_ id: TransferID, _ isPaused: Bool) { all[id]?.isPaused = isPaused }

    mutating func end(_ id: TransferID) -> Opening? { all.removeValue(forKey: id) }

    /// Those whose time is over, and when the next one's is.
    func overdue(_ now: Double) -> (ids: [TransferID], next: Double) {
        let next = all.values.map(\.deadline).filter { $0 > now }.min() ?? .infinity
        return (all.filter { $0.value.deadline <= now }.map(\.key), next)
    }

    var ids: [TransferID] { Array(all.keys) }
}
