// What the scheduler does when a commit has failed, when a date comes, and when it begins: it brings memory
// and disk together again. On the actor's queue, like the rest of it.
import Foundation
import TransferProtocol
import TransferStore

extension Scheduler {
    // MARK: When the disk takes no writes

    func settleIfNothingIsWritten() { if !turn.isOpen { settle() } }

    func settle() {
        live.settle()
        news = []
    }

    /// Nothing of this turn is on disk: wishes are refused to whoever made them, news is taken again later.
    func undo(_ error: StoreError) {
        live.undo()
        unwritten = news + unwritten
        news = []
        couldNot("write to the database", error)
    }

    /// Logs it and sees to it that memory and disk come together again.
    func couldNot(_ attempt: String, _ error: StoreError) {
        // A full disk should not be filled with complaints about it.
        if !isFailing { ServiceLog.note("could not \(attempt): \(error)") }
        isFailing = true
        reconcileLater()
    }

    private func reconcileLater() {
        guard !isReconciling else { return }
        isReconciling = true
        time.ring(after: reconcileDelay) { [weak self] in self?.reconcile() }
    }

    private func reconcile() {
        isReconciling = false
        do {
            let waiting = unwritten
            unwritten = []
            for item in waiting { take(news: item) }
            lookAtQuarantine()
            try takeUp()
            try lookAtDates()
            let hasWritten = turn.isOpen
            turn.afterCommit { [weak self] in
                guard let self, self.isFailing else { return }
                self.isFailing = false
                if hasWritten { ServiceLog.note("the database takes writes again") }
                self.observer?.lookAgain()
                self.observer?.becameQuiet()
            }
        } catch {
            couldNot("go on after a failed write", error)
        }
    }

    // MARK: Dates and recovery

    func datesCame() {
        do {
            try lookAtDates()
        } catch {
            couldNot("look at dates", error)
        }
    }

    private func lookAtDates() throws(StoreError) {
        let now = currentDate()
        for key in try store.tasksPastDeadline(now: now) { try perform(.deadlinePassed, key: key) }
        for lane in try store.lanesWithQueued(now: now) { try admit(lane: lane) }
        // Those whose date has passed are being stopped.
        if let date = try store.nextResourceDeadline(after: now) { alarm.consider(date) }
        if let date = try store.earliestBeginDate(after: now) { alarm.consider(date) }
    }

    /// Takes up everything an earlier service left. Called once, before anybody is served. A disk that takes no
    /// writes now is tried again.
    func recover() {
        do {
            try expirePartials(now: time.date)
            try trimPartials()
            try takeUp()
            try lookAtDates()
        } catch {
            couldNot("take up what an earlier service left", error)
        }
    }

    /// Tasks that the disk believes to run, and that do not.
    private func takeUp() throws(StoreError) {
        if !hasTakenUpEnded {
            for key in try store.endedInDoubt(boot: boot) { try takeUp(key) }
            turn.afterCommit { [weak self] in self?.hasTakenUpEnded = true }
        }
        for phase in [TaskRecord.Phase.running, .canceling, .waiting] {
            for key in try store.tasks(in: phase)
            where live[key] == nil && retryTimers[key] == nil && dialogues.question(key) == nil {
                try takeUp(key)
            }
        }
    }

    private func takeUp(_ key: Int64) throws(StoreError) {
        guard let task = try store.task(key: key) else { return }
        // Its last word goes with its row: without events it was lost to quarantine before it could be repeated.
        if task.phase == .ended, try !store.hasEvents(task: key) {
            try perform(.eventsLost(count: 1, left: []), key: key)
        } else {
            try perform(.recovered(isChangedByOwner: bodies.isChangedByOwner(task)), key: key)
        }
        CrashPoint.inRecovery.reached()
    }

    /// Rows that could not be read are out of the way, and said; an ended task is not left without its last word.
    func lookAtQuarantine() {
        let rows = store.quarantined
        guard !rows.isEmpty else { return }
        store.quarantined = []
        for row in rows {
            ServiceLog.note(
                "row \(row.key) of \(row.origin.rawValue) cannot be read and is kept in quarantine: "
                    + row.reason)
        }
        let events = Dictionary(grouping: rows.filter { $0.origin == .outbox }) { $0.task ?? 0 }
        do {
            for (task, lost) in events {
                let left = try store.events(task: task)
                try perform(.eventsLost(count: lost.count, left: left), key: task)
            }
        } catch {
            store.quarantined += rows
            return couldNot("repeat the events of tasks", error)
        }
        turn.afterCommit { [weak self] in
            self?.observer?.lookAgain()
        } failed: { [store] _ in
            store.quarantined += rows
        }
    }
}
