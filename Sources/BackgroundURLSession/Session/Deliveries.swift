// Calls to the app, one at a time and in order, on whatever queue the app chose, also a concurrent one.
// At most one operation of ours is in that queue; a blocked app costs a list here. An app that cancels its queue's
// operations cancels its own: what a session has to say stays said, and its tasks' ends with it.
import Foundation

final class Deliveries: @unchecked Sendable {
    // Unchecked: `state` is guarded; the queue is thread-safe.
    private let queue: OperationQueue
    private let state = Guarded(State())

    private struct State {
        var waiting: [@Sendable () -> Void] = []
        /// Those before it are done; the array is cut now and then, not at each step.
        var next = 0
        var isRunning = false
    }

    init(queue: OperationQueue) { self.queue = queue }

    func append(_ work: @escaping @Sendable () -> Void) {
        let starts = state.with { state in
            state.waiting.append(work)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts { queue.addOperation(Step(of: self)) }
    }

    private final class Step: Operation, @unchecked Sendable {
        private let deliveries: Deliveries
        init(of deliveries: Deliveries) { self.deliveries = deliveries }
        override func main() { deliveries.runOne() }
        override func cancel() {}
    }

    private func runOne() {
        let work = state.with { state in
            let work = state.waiting[state.next]
            state.waiting[state.next] = {}
            state.next += 1
            return work
        }
        work()
        let goesOn = state.with { state in
            if state.next == state.waiting.count || state.next > 1024 {
                state.waiting.removeFirst(state.next)
                state.next = 0
            }
            state.isRunning = !state.waiting.isEmpty
            return state.isRunning
        }
        if goesOn { queue.addOperation(Step(of: self)) }
    }
}
