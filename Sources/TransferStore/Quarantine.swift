// One unreadable row must not stop the others: it is copied, as text, into the table `quarantine`, taken
// out of its own, and reported.
import Foundation
import TransferProtocol

/// A row that could not be read.
public struct QuarantinedRow: Sendable, Equatable {
    public enum Origin: String, Sendable {
        /// The task and its events are out of the queue; its body file is left to the service.
        case task
        /// The event is lost to its owner; an ended task may now be without any.
        case outbox
        /// Sessions and tasks that refer to it go on with the default configuration.
        case configuration
    }

    public var origin: Origin
    /// The row's key in its own table.
    public var key: Int64
    /// The task concerned: the row itself, or the one an event belongs to.
    public var task: Int64?
    public var reason: String

    public init(origin: Origin, key: Int64, task: Int64?, reason: String) {
        self.origin = origin
        self.key = key
        self.task = task
        self.reason = reason
    }
}

extension TransferStore {
    func quarantine(_ row: QuarantinedRow) throws(StoreError) {
        let attempt = "quarantine row \(row.key) of \(row.origin.rawValue)"
        try database.atomically(attempt) { () throws(StoreError) in
            switch row.origin {
            case .task:
                recent.forget(key: row.key)
                try keepText(attempt, row, "SELECT * FROM outbox WHERE task = ?", from: .outbox)
                try keepText(attempt, row, "SELECT * FROM task WHERE key = ?", from: .task)
                try database.run(attempt, "DELETE FROM task WHERE key = ?", [.integer(row.key)])
            case .outbox:
                try keepText(attempt, row, "SELECT * FROM outbox WHERE sequence = ?", from: .outbox)
                try database.run(attempt, "DELETE FROM outbox WHERE sequence = ?", [.integer(row.key)])
            case .configuration:
                try keepText(
                    attempt, row, "SELECT * FROM configuration WHERE id = ?", from: .configuration)
                let json = try StoreCoding.encode(SessionConfigurationRecord(), attempt, path: database.path)
                try database.run(
                    attempt, "UPDATE configuration SET json = ? WHERE id = ?", [json, .integer(row.key)])
            }
        }
        quarantined.append(row)
        whenQuarantined?()
    }

    private func keepText(
        _ attempt: String, _ row: QuarantinedRow, _ query: String, from origin: QuarantinedRow.Origin
    ) throws(StoreError) {
        for text in try database.rows(attempt, query, [.integer(row.key)], read: \.asText) {
            try database.run(
                attempt, "INSERT INTO quarantine (origin, reason, noticed, row) VALUES (?, ?, ?, ?)",
                [
                    .text(origin.rawValue), .text(row.reason), SQLValue(Date()),
                    try StoreCoding.encode(text, attempt, path: database.path),
                ])
        }
    }
}
