// task.enqueueMissing: decided here, within one go of the service's queue, so that the race of a transfer's end
// with the wish to queue it has one outcome.
import Foundation
import TransferProtocol
import TransferStore

extension TaskHandlers {
    func enqueueMissing(
        _ call: EnqueueMissing, _ connection: Connection, _ answer: Answer<EnqueueMissing.Result>
    ) throws {
        guard let description = call.task.description, !description.isEmpty else {
            throw RPCError.invalidParams("a task is missing or not by its description: it needs one")
        }
        let owner = try owner(connection)
        if let existing = try pending(session: owner.session.id, description) {
            // Its maker died before it could.
            if existing.firstResumed == nil { try resume(existing, of: owner) }
            // A repeated message finds the task it made.
            let isOwn = existing.token == call.task.token
            return answer.succeed(EnqueueMissing.Result(existing: isOwn ? nil : existing.identifier))
        }
        try make(call.task, connection)
        try resume(try task(call.task.identifier, connection), of: owner)
        answer.succeed(EnqueueMissing.Result(existing: nil))
    }

    /// What failed, or is being cancelled, will bring nothing: its description is free.
    private func pending(session: Int64, _ description: String) throws -> TaskRecord? {
        try store.tasks(session: session, described: description).lazy.map(scheduler.current).first {
            $0.phase != .canceling && !($0.phase == .ended && $0.error != nil)
        }
    }
}
