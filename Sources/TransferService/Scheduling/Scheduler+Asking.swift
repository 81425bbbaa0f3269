// Questions to owners: what is open, and what becomes of a task when its owner has spoken. On the actor's
// queue, like the rest of the scheduler.
import Foundation
import HTTPEngine
import TransferProtocol
import TransferStore

extension Scheduler {
    /// Questions that a session's owner has not answered, by task.
    func questions(session: Int64) throws(StoreError) -> [(task: TaskRecord, number: Int64, TaskQuestion)] {
        var open: [(task: TaskRecord, number: Int64, TaskQuestion)] = []
        for key in dialogues.asking {
            guard let task = try store.task(key: key), task.session == session,
                let (number, question) = dialogues.question(key)
            else { continue }
            open.append((task, number, question))
        }
        return open.sorted { $0.number < $1.number }
    }

    /// The owner's word. One that comes late, or twice, changes nothing.
    func answer(_ answer: TaskAnswer, number: Int64, key: Int64) throws(StoreError) {
        guard let task = try store.task(key: key) else { return }
        let before = dialogues
        guard let reply = dialogues.take(answer, number: number, task: task) else { return }
        do {
            switch reply {
            case .askAgain: turn.afterCommit { [weak self] in self?.observer?.questionAsked(task) }
            case .again: try perform(.replied(.again), key: key)
            case .deliver: try perform(.replied(.deliver), key: key)
            case .end(let error): try perform(.replied(.end(error)), key: key)
            }
        } catch {
            dialogues = before
            throw error
        }
        turn.afterCommit {
        } failed: { [weak self] _ in
            // Nothing of it is on disk: the question stands.
            self?.dialogues.takeBack(key, from: before)
        }
    }

    /// Forgets what the session was given: passwords in memory, cookies in memory and on disk.
    func reset(session: Int64) {
        dialogues.forgetPasswords(session: session)
        engine.emptyJar(bodies.cookieJar(session: session))
    }
}
