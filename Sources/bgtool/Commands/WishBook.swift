// The records of one session's wishes as this program keeps them: opened, closed with the task's end, and
// removed when nothing can come of them any more.
import BackgroundURLSession
import Downloads
import Foundation

struct WishBook {
    let session: String
    let store: WishStore

    init(session: String) throws {
        self.session = session
        store = try WishStore(folder: BackgroundService.wishesFolder()) { damaged in
            Output.tell(
                "A record of a transfer could not be read (\(damaged.reason)); it is kept as "
                    + "\(damaged.setAside).")
        }
    }

    /// A task of the wish has had its last word. One that failed may have left bytes: unless another task of
    /// the wish is under way, the next start goes on from them.
    func close(_ name: String, task: Int, resumeData: Data? = nil) {
        attempt {
            try store.update(session: session, name: name) {
                $0.tasks = ($0.tasks ?? []).filter { $0 != task }
                if $0.tasks == [], let resumeData { $0.resumeData = resumeData }
                // A paused wish has no outcome yet.
                $0.isClosed = $0.tasks == [] && $0.resumeData == nil
            }
        }
    }

    /// Removes the records that have their outcome and that the service can send no event for any more. Not
    /// earlier: an acknowledgement may have been lost with its service, and the event then comes to another
    /// process.
    func sweep(stillThere tasks: [BackgroundTaskStatus]) {
        attempt {
            let there = Set(tasks.compactMap(\.name))
            for wish in try store.all()
            where wish.session == session && wish.isClosed == true && !there.contains(wish.name) {
                try store.remove(session: session, name: wish.name)
            }
        }
    }

    private func attempt(_ work: () throws -> Void) {
        do {
            try work()
        } catch {
            Output.complain("\(error)")
        }
    }
}
