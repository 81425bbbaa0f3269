// Leaving when nobody needs the service. It leaves only while holding the start lock and with an empty
// backlog, so that no client ever connects to a service that has decided to go.
import Foundation
import TransferProtocol

@TransferActor
final class IdleExit {
    private let time: any TimeSource
    private let seconds: Double
    private let isIdle: () -> Bool
    private let leave: () -> Bool
    private var generation = 0

    /// - Parameters:
    ///   - seconds: how long nothing must happen.
    ///   - isIdle: whether nobody is attached and nothing runs, waits to retry or waits for a date.
    ///   - leave: tries to leave; false when somebody came at the last moment.
    init(
        _ time: any TimeSource, seconds: Double, isIdle: @escaping () -> Bool,
        leave: @escaping () -> Bool
    ) {
        self.time = time
        self.seconds = seconds
        self.isIdle = isIdle
        self.leave = leave
    }

    /// Something ended: if that was the last thing, the time begins to run.
    func reconsider() {
        generation += 1
        guard isIdle() else { return }
        let mine = generation
        time.ring(after: seconds) { [weak self] in
            guard let self, self.generation == mine else { return }
            if !self.isIdle() || !self.leave() { self.reconsider() }
        }
    }
}
