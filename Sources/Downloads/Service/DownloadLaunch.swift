// The order of a launch: list the tasks, deliver what waited, bring the records up to date, and only then begin
// anything new. Asked otherwise, a wish that has just arrived would be fetched again.

import BackgroundURLSession
import Foundation

struct DownloadLaunch {
    let desk: DownloadDesk
    let delegate: DownloadDelegate

    func run() async {
        let waiting = await attach()
        let tasks = await desk.session.allTasks
        let unresumed = await desk.session.unresumedTasks
        desk.takeUp(tasks, unresumed: unresumed)
        desk.delegateQueue.isSuspended = false
        if waiting > 0 { await delegate.waitForEvents() }
        // What was delivered is acknowledged.
        await desk.session.flush()
        let names = Set((tasks + unresumed).compactMap(\.taskDescription))
        desk.sweep(notThere: names.union(delegate.keptNames))
        desk.open()
    }

    /// How many tasks have results that wait. Without a service every task fails, and says why.
    private func attach() async -> Int {
        await withCheckedContinuation { done in
            DispatchQueue.global().async {
                done.resume(returning: (try? desk.session.waitUntilAttached()) ?? 0)
            }
        }
    }
}
