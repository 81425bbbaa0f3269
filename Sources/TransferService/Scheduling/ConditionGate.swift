// Keeps the tasks that wait for power or for another network, and looks at the machine for them: at once, and
// then every half minute, only as long as there is a task that it matters to. Decides nothing itself.
import TransferProtocol

/// Where the machine's condition is read.
@TransferActor
protocol ConditionSource: AnyObject {
    /// Looks, which may take a moment, and then reports on the actor's queue.
    func look(_ report: @escaping @TransferActor @Sendable (MachineConditions) -> Void)
}

@TransferActor
final class ConditionGate {
    /// Seconds between two looks.
    static let interval = 30.0

    private struct Kept {
        var needs: TransferNeeds
        var obstacle: Obstacle
    }

    private let source: any ConditionSource
    private let time: any TimeSource
    private var seen: MachineConditions?
    private var isWatching = false
    /// Tasks that wait, and those that run and may have to stop.
    private var kept: [Int64: Kept] = [:]
    private var passed: [Int64: TransferNeeds] = [:]
    /// Somebody looked.
    var whenLooked: () -> Void = {}

    init(_ source: any ConditionSource, _ time: any TimeSource) {
        self.source = source
        self.time = time
    }

    /// Asked for each task that could begin. One that is kept is in `changes` when it no longer has to be.
    func obstacle(to needs: TransferNeeds, key: Int64) -> Obstacle? {
        guard !needs.isEmpty else { return nil }
        watch()
        guard let obstacle = ConditionPolicy.obstacle(to: needs, seen) else {
            kept[key] = nil
            if needs.restrictsNetwork { passed[key] = needs }
            return nil
        }
        kept[key] = Kept(needs: needs, obstacle: obstacle)
        return obstacle
    }

    /// It has ended or was suspended.
    func forget(_ key: Int64) {
        kept[key] = nil
        passed[key] = nil
    }

    /// What the newest look changes: nil for a task that may begin, otherwise why it must wait or stop. The
    /// same is said again until it is `taken`.
    var changes: [(key: Int64, obstacle: Obstacle?)] {
        let waiting = kept.compactMap { key, kept -> (Int64, Obstacle?)? in
            let now = ConditionPolicy.obstacle(to: kept.needs, seen)
            return now == kept.obstacle ? nil : (key, now)
        }
        let running = passed.compactMap { key, needs in
            ConditionPolicy.interruption(of: needs, seen).map { (key, Optional($0)) }
        }
        return (waiting + running).sorted { $0.0 < $1.0 }
    }

    /// The change has been written down.
    func taken(_ key: Int64, _ obstacle: Obstacle?) {
        let needs = kept.removeValue(forKey: key)?.needs ?? passed.removeValue(forKey: key)
        guard let needs, let obstacle else { return }
        kept[key] = Kept(needs: needs, obstacle: obstacle)
    }

    private func watch() {
        guard !isWatching else { return }
        isWatching = true
        look()
    }

    private func look() {
        source.look { [weak self] in self?.saw($0) }
    }

    private func saw(_ conditions: MachineConditions) {
        seen = conditions
        whenLooked()
        time.ring(after: Self.interval) { [weak self] in self?.lookAgain() }
    }

    private func lookAgain() {
        if kept.isEmpty, passed.isEmpty {
            isWatching = false
            seen = nil
        } else {
            look()
        }
    }
}
