// What the scheduler does when the wall clock is set while it runs. Begin dates are dates and stay; resource
// timeouts are lengths of time and move with the clock. On the actor's queue, like the rest of it.
import Foundation
import TransferProtocol
import TransferStore

extension Scheduler {
    /// The wall clock. Whoever compares or writes down a date asks here, so that a step is noticed before.
    func currentDate() -> Date {
        let date = time.date
        let before = clockSteps
        if let step = clockSteps.notice(date: date, seconds: time.seconds) {
            wallClockWasSet(by: step, now: date, before: before)
        }
        return date
    }

    private func wallClockWasSet(by step: Double, now: Date, before: ClockSteps) {
        do throws(StoreError) {
            for key in try store.tasksPastDeadline(now: .distantFuture) {
                guard var machine = try machine(key) else { continue }
                machine.noteClockStep(step, now: now)
                keep(machine)
                try turn.write { store throws(StoreError) in try store.save(machine.task) }
            }
        } catch {
            clockSteps = before
            return couldNot("move resource timeouts with the clock", error)
        }
        turn.afterCommit { [weak self] in
            ServiceLog.note(
                "the clock was set \(step > 0 ? "forward" : "back") by \(Int(abs(step).rounded())) s; "
                    + "resource timeouts go on from where they were")
            self?.datesCame()
        } failed: { [weak self] _ in
            self?.clockSteps = before
        }
    }
}
