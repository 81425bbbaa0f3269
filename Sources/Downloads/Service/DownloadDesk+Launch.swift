// What a launch finds: tasks of earlier processes, paused wishes, records whose makers died. On the desk's queue.

import BackgroundURLSession
import Foundation

extension DownloadDesk {
    /// Tasks of earlier processes go on; paused wishes are known again.
    func takeUp(_ found: [URLSessionTask], unresumed: [URLSessionTask]) {
        queue.sync {
            for case let task as URLSessionDownloadTask in found { adopt(task) }
            for case let task as URLSessionDownloadTask in unresumed {
                // Of a maker that died in between; tasks that nobody has written down are not ours.
                guard let wish = wish(of: task) else { continue }
                // Its file came by another task: this one would bring it again.
                guard !wish.isPlaced else {
                    task.cancel()
                    continue
                }
                adopt(task)
                task.resume()
            }
            book.attempt { () throws(WishStoreError) in
                for wish in try book.store.all() where wish.session == book.session {
                    guard let data = wish.resumeData, let request = DownloadRequest(wish) else { continue }
                    ledger.remember(request, data)
                }
            }
        }
    }

    private func adopt(_ task: URLSessionDownloadTask) {
        guard let wish = wish(of: task), let request = DownloadRequest(wish) else { return }
        // It went on from there, or begins anew: nobody else may.
        if wish.resumeData != nil { forgetResumeData(wish.name) }
        // Its maker died before it had written that down.
        if wish.tasks?.contains(task.taskIdentifier) != true {
            book.open(wish.name, task: task.taskIdentifier)
        }
        takeOn(task, request)
    }

    /// A task that is wanted for its own sake.
    func takeOn(_ task: URLSessionDownloadTask, _ request: DownloadRequest) {
        if let attempt = ledger.adopt(request) { note(task, attempt) }
    }

    /// At launch: wishes whose makers died before there was a task will never have one, and would stand in
    /// others' way.
    /// - Parameter names: of every task that the service still has.
    func sweep(stillThere names: Set<String>) {
        queue.sync { book.sweep(stillThere: names, abandoned: true) }
    }
}
