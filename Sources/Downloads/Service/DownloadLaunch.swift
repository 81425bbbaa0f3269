// The order of a launch: list the tasks, deliver what waited, bring the records up to date, and only then begin
// anything new. Asked otherwise, a wish that has just arrived would be fetched again. On a queue of its own: who
// waits for it may hold every thread of Swift's pool.

import BackgroundURLSession
import Foundation

struct DownloadLaunch {
    let desk: DownloadDesk
    let delegate: DownloadDelegate

    func begin() {
        Task.detached(executorPreference: LaunchExecutor()) { await run() }
    }

    private func run() async {
        let waiting = attach()
        let tasks = await desk.session.allTasks
        let unresumed = await desk.session.unresumedTasks
        desk.takeUp(tasks, unresumed: unresumed)
        desk.delegateQueue.isSuspended = false
        if let waiting, waiting > 0 { await delegate.waitForEvents() }
        // What was delivered is acknowledged.
        await desk.session.flush()
        if waiting != nil { await sweep() }
        desk.open()
    }

    /// How many tasks have results that wait; nil without a service, where every task fails, and says why.
    private func attach() -> Int? { try? desk.session.waitUntilAttached() }

    /// Whoever does not own the session, or does not know all that the service has, takes no record away: somebody
    /// else's file would come to nothing.
    private func sweep() async {
        guard let names = try? await desk.session.descriptionsOfAllTasks else { return }
        desk.sweep(stillThere: names)
    }
}

/// A serial queue for one launch, which blocks it while the session attaches.
private final class LaunchExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "DownloadService launch")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
