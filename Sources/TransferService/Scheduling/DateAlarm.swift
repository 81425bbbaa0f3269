// One wall-clock timer for the nearest date that matters: a begin date, or a resource timeout. The wall
// clock may be stepped; dates are looked at again whenever the timer fires, and it never fires for nothing.
import Foundation

@TransferActor
final class DateAlarm {
    private let time: any TimeSource
    private var armed: Date?
    private var generation = 0
    private let fire: () -> Void

    init(_ time: any TimeSource, fire: @escaping () -> Void) {
        self.time = time
        self.fire = fire
    }

    /// Makes sure that the alarm goes off at `date` or earlier.
    func consider(_ date: Date) {
        if let armed, armed <= date { return }
        armed = date
        generation += 1
        let mine = generation
        time.ring(at: date) { [weak self] in self?.ring(mine) }
    }

    private func ring(_ which: Int) {
        guard which == generation else { return }
        armed = nil
        fire()
    }
}
