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
            case .deliver: try deliver(before.heldAnswer(key), key: key, pipe: task.pipe)
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

    /// What was answered is the answer: from memory, if it is there, or asked for once more.
    private func deliver(_ held: HeldAnswer?, key: Int64, pipe: String?) throws(StoreError) {
        guard let held, let open = held.opening(pipe) else {
            return try perform(.replied(.deliver), key: key)
        }
        try perform(.replied(.handOver(held.response, length: Int64(held.body.count))), key: key)
        turn.afterCommit { open.write(held.body) }
    }

    /// Forgets what the session was given: passwords in memory, cookies in memory and on disk.
    func reset(session: Int64) {
        dialogues.forgetPasswords(session: session)
        engine.emptyJar(bodies.cookieJar(session: session))
    }
}
