// A session as the service has it, for programs that show the state of things. A value.
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

    init(_ summary: SessionSummary) {
        client = summary.client
        identifier = summary.identifier
        owner = summary.owner
        pending = summary.pending
        undelivered = summary.undelivered
    }
}
