// A task record as a row: what is looked for has columns, the rest is JSON (`TaskDetails`).
import Foundation
import TransferProtocol

struct TaskRow {
    static let columns = """
        key, session, configuration, identifier, token, phase, lane, priority, received, sent, \
        synced_offset, boot, json, body
        """

    var key: Int64
    /// Of its JSON: about what it weighs in a message.
    var bytes: Int
    var task: Result<TaskRecord, Undecodable>

    init(_ row: Row) {
        key = row.integer(0)
        let json = row.data(12)
        bytes = json.count
        guard let phase = TaskRecord.Phase(rawValue: row.text(5)) else {
            task = .failure(Undecodable(reason: "no phase '\(row.text(5))'"))
            return
        }
        task = StoreCoding.decode(TaskDetails.self, json).map { details in
            var task = TaskRecord(
                session: row.integer(1), configuration: row.integer(2), identifier: row.int(3),
                token: row.text(4), kind: details.kind, lane: row.text(6), request: details.request,
                created: details.created)
            task.key = row.integer(0)
            task.body = row.text(13)
            task.phase = phase
            task.priority = row.real(7)
            task.received = row.integer(8)
            task.sent = row.integer(9)
            task.syncedOffset = row.integer(10)
            task.boot = row.optionalText(11)
            details.apply(to: &task)
            return task
        }
    }
}

extension TaskRecord {
    /// The values of the columns that change in a task's life, in the order `TransferStore` names them.
    func changingValues(resourceTimeout: Double, json: SQLValue) -> [SQLValue] {
        [
            .text(phase.rawValue), .text(lane), .real(priority),
            SQLValue(phase == .queued ? beginDate : nil),
            SQLValue(phase == .ended ? nil : firstResumed?.addingTimeInterval(resourceTimeout)),
            .integer(received), .integer(sent), .integer(syncedOffset), SQLValue(boot), json,
            SQLValue(description),
        ]
    }
}
