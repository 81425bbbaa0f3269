// What time it is, and a bell for later. The service asks nobody else, so that a test can let a week pass, or
// set the clock, without waiting. On the actor's queue.
import Foundation

@TransferActor
protocol TimeSource: AnyObject {
    /// The wall clock: for dates that clients name and people read. It may be set at any time.
    var date: Date { get }
    /// Seconds that pass alike whatever is done to the wall clock, also while the machine sleeps.
    var seconds: Double { get }
    /// Rings once after so many seconds, however the wall clock is set meanwhile.
    func ring(after seconds: Double, _ bell: @escaping @TransferActor @Sendable () -> Void)
    /// Rings once when the wall clock shows that date or a later one.
    func ring(at date: Date, _ bell: @escaping @TransferActor @Sendable () -> Void)
}

/// The machine's clocks.
@TransferActor
final class SystemTime: TimeSource {
    nonisolated init() {}

    var date: Date { Date(timeIntervalSinceNow: offset) }

    /// Seconds by which a test has set the wall clock.
    private var offset: TimeInterval {
        #if DEBUG
            guard let file = FaultSwitch.clock.value else { return 0 }
            return (try? String(contentsOfFile: file, encoding: .utf8)).flatMap(Double.init) ?? 0
        #else
            return 0
        #endif
    }

    var seconds: Double {
        var now = timespec()
        clock_gettime(CLOCK_BOOTTIME, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    }

    func ring(after seconds: Double, _ bell: @escaping @TransferActor @Sendable () -> Void) {
        TransferActor.queue.asyncAfter(deadline: .now() + seconds) { TransferActor.assumeIsolated(bell) }
    }

    func ring(at date: Date, _ bell: @escaping @TransferActor @Sendable () -> Void) {
        var when = timespec()
        // Dates come from clients; dispatch counts nanoseconds, which end in 2262.
        when.tv_sec = Int(min(max(date.timeIntervalSince1970 - offset, 0), 9e9).rounded(.up))
        TransferActor.queue.asyncAfter(wallDeadline: DispatchWallTime(timespec: when)) {
            TransferActor.assumeIsolated(bell)
        }
    }
}
