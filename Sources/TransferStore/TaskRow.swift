// A task record as a row: what is asked for has columns, all of it is in the JSON. Where both say
// something the column counts, since some are written alone (`saveProgress`).
import Foundation
import TransferProtocol

struct TaskRow {
    static let columns = """
        key, session, configuration, identifier, token, phase, lane, priority, received, sent, \
        synced_offset, boot, json
        """

    var key: Int64
    var task: Result<TaskRecord, Undecodable>

    init(_ row: Row) {
        key = row.integer(0)
        task = StoreCoding.decode(TaskRecord.self, row.data(12)).flatMap { decoded in
            guard let phase = TaskRecord.Phase(rawValue: row.text(5)) else {
                return .failure(Undecodable(reason: "no phase '\(row.text(5))'"))
            }
            var task = decoded
            task.key = row.integer(0)
            task.session = row.integer(1)
            task.configuration = row.integer(2)
            task.identifier = row.int(3)
            task.token = row.text(4)
            task.phase = phase
            task.lane = row.text(6)
            task.priority = row.real(7)
            task.received = row.integer(8)
            task.sent = row.integer(9)
            task.syncedOffset = row.integer(10)
            task.boot = row.optionalText(11)
            return .success(task)
        }
    }
}

extension TaskRecord {
    /// The values of the columns that change in a task's life, in the order `TransferStore` names them.
    func changingValues(resourceTimeout: Double, json: SQLValue) -> [SQLValue] {
        [
            .text(phase.rawValue), .text(lane), .real(priority),
            SQLValue(phase == .queued ? earliestBeginDate : nil),
            SQLValue(phase == .ended ? nil : firstResumed?.addingTimeInterval(resourceTimeout)),
            .integer(received), .integer(sent), .integer(syncedOffset), SQLValue(boot), json,
        ]
    }
}
