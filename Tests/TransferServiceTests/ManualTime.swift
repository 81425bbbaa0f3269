// A clock that stands still until the test lets time pass, or sets it.
import Foundation

@testable import TransferService

@TransferActor
final class ManualTime: TimeSource {
    private enum Due {
        case after(Double)
        case at(Date)
    }

    private struct Bell {
        var due: Due
        var ring: @TransferActor @Sendable () -> Void
    }

    private(set) var date = Date(timeIntervalSince1970: 1_800_000_000)
    private(set) var seconds = 0.0
    private var bells: [Bell] = []

    func ring(after seconds: Double, _ bell: @escaping @TransferActor @Sendable () -> Void) {
        bells.append(Bell(due: .after(self.seconds + seconds), ring: bell))
    }

    func ring(at date: Date, _ bell: @escaping @TransferActor @Sendable () -> Void) {
        bells.append(Bell(due: .at(date), ring: bell))
    }

    /// Somebody sets the wall clock; no time passes.
    func set(by step: Double) { date += step }

    /// Lets time pass as far as the next bell and rings it, or `limit` seconds if there is none by then.
    /// - Returns: the seconds that have passed.
    func passToNextBell(_ limit: Double) -> Double {
        let waits = bells.map { max(0, wait(for: $0.due)) }
        guard let next = waits.indices.min(by: { waits[$0] < waits[$1] }), waits[next] <= limit else {
            move(limit)
            return limit
        }
        let bell = bells.remove(at: next)
        move(waits[next])
        // What was rounded off must not make it ring before its time.
        if case .at(let due) = bell.due { date = max(date, due) }
        bell.ring()
        return waits[next]
    }

    private func wait(for due: Due) -> Double {
        switch due {
        case .after(let seconds): seconds - self.seconds
        case .at(let date): date.timeIntervalSince(self.date)
        }
    }

    private func move(_ passed: Double) {
        seconds += passed
        date += passed
    }
}

extension SchedulerBench {
    /// Lets so much time pass, and everything happen that falls due meanwhile.
    func pass(_ seconds: Double, _ time: ManualTime) async {
        await settle()
        var left = seconds
        while left > 0 {
            left -= time.passToNextBell(left)
            await settle()
        }
    }
}
