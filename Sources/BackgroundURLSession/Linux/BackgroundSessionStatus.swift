// A session as the service has it, for programs that show the state of things. A value.
import Foundation
import TransferProtocol

/// A session of any client at one moment.
public struct BackgroundSessionStatus: Sendable, Equatable, Codable {
    public var client: String
    public var identifier: String
    /// The pid of the process that owns it now; nil when nobody does.
    public var owner: Int32?
    /// Tasks that have not ended.
    public var pending: Int
    /// Ended tasks whose events wait for an owner.
    public var undelivered: Int
    /// Its wakes; nil when there were none.
    public var wake: Wake?

    /// The starts of the session's launch command.
    public struct Wake: Sendable, Equatable, Codable {
        public var launches: Int
        public var last: Date?
        /// `visiting`, `closed`, `exited`, `failed`, `overran` or `notStarted`.
        public var outcome: String?
        public var detail: String?
        /// Not before this date again; nil is at any time.
        public var next: Date?
    }

    init(_ summary: SessionSummary) {
        client = summary.client
        identifier = summary.identifier
        owner = summary.owner
        pending = summary.pending
        undelivered = summary.undelivered
        wake = summary.wake.map {
            Wake(
                launches: $0.launches, last: $0.last, outcome: $0.outcome, detail: $0.detail, next: $0.next)
        }
    }
}
