// The newest counters of a running task. Only the latest matters; notes are never queued.

public struct ProgressNote: Codable, Sendable, Equatable {
    public var identifier: Int
    public var received: Int64
    public var expected: Int64?
    public var sent: Int64
    public var expectedToSend: Int64?

    public init(identifier: Int, received: Int64, expected: Int64?, sent: Int64, expectedToSend: Int64?) {
        self.identifier = identifier
        self.received = received
        self.expected = expected
        self.sent = sent
        self.expectedToSend = expectedToSend
    }
}
