// A session as the service remembers it.
import TransferProtocol

/// A session belongs to a client and has an identifier; its row lives as long as anybody may come back.
public struct SessionRecord: Sendable, Equatable {
    public var id: Int64
    public var client: String
    public var identifier: String
    /// The row of the configuration new tasks are made with.
    public var configuration: Int64
    /// Identifiers rise as long as the row exists.
    public var nextTaskIdentifier: Int

    public init(
        id: Int64, client: String, identifier: String, configuration: Int64, nextTaskIdentifier: Int
    ) {
        self.id = id
        self.client = client
        self.identifier = identifier
        self.configuration = configuration
        self.nextTaskIdentifier = nextTaskIdentifier
    }
}

/// An event that waits for its owner's acknowledgement.
public struct OutboxEntry: Sendable, Equatable {
    public var sequence: Int64
    public var task: Int64
    public var event: TaskEvent

    public init(sequence: Int64, task: Int64, event: TaskEvent) {
        self.sequence = sequence
        self.task = task
        self.event = event
    }
}
