// One wall-clock timer for the nearest date that matters: a begin date, or a resource timeout. The wall
// clock may be stepped; dates are looked at again whenever the timer fires, and it never fires for nothing.
import Foundation

@TransferActor
final class DateAlarm {
    private var armed: Date?
    private var generation = 0
    private let fire: () -> Void

    init(fire: @escaping () -> Void) { self.fire = fire }

    /// Makes sure that the alarm goes off at `date` or earlier.
    func consider(_ date: Date) {
        if let armed, armed <= date { return }
        armed = date
        generation += 1
        let mine = generation
        var when = timespec()
        // A client may send a date that no clock reaches, and that an Int does not hold.
        let reachable = min(max(date, .distantPast), .distantFuture)
        when.tv_sec = Int(reachable.timeIntervalSince1970.rounded(.up))
        TransferActor.queue.asyncAfter(wallDeadline: DispatchWallTime(timespec: when)) { [weak self] in
            TransferActor.assumeIsolated { self?.ring(mine) }
        }
    }

    private func ring(_ which: Int) {
        guard which == generation else { return }
        armed = nil
        fire()
    }
}
