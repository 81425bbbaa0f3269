// A connection that has claimed a session: what was sent to it and not yet acknowledged. Plain state.
import TransferProtocol
import TransferStore

@TransferActor
final class Owner {
    /// Events on their way at once; more wait in the outbox, so that a blocked delegate costs nothing.
    static let window = 64

    let connection: Connection
    let session: SessionRecord
    let purpose: AttachSession.Purpose
    /// `URLSESSION_VISIT` of its process; nil when the person started it.
    var visit: String?
    /// The last sequence that was noted as dealt with.
    var settledCursor: Int64 = 0
    /// The last sequence sent.
    var cursor: Int64 = 0
    /// Sequences sent and not acknowledged, with their tasks.
    var unacknowledged: [Int64: Int64] = [:]
    /// Something waited when it attached; it hears `events.finished` when that is dealt with.
    var hasEventsToFinish: Bool
    /// Tasks whose newest counters it has not been told, by key: one number each, however slow it is.
    var staleProgress: Set<Int64> = []
    /// Tasks that changed and of which it has not been told, as they were then, by key.
    var staleTasks: [Int64: TaskRecord] = [:]
    /// The answers that events have brought it, by key, until the task's last one.
    var toldAnswers: [Int64: ResponseRecord] = [:]

    /// It wants to be asked about tasks whose date has come; those it has not answered about.
    var asksToBegin = false
    var asked: Set<Int64> = []

    /// A file could not be handed over; in a moment it is tried again.
    var looksAgain = false
    /// And that was said.
    var hasComplained = false

    init(
        connection: Connection, session: SessionRecord, purpose: AttachSession.Purpose,
        hasEventsToFinish: Bool
    ) {
        self.connection = connection
        self.session = session
        self.purpose = purpose
        self.hasEventsToFinish = hasEventsToFinish
    }

    /// An event was not sent after all: it comes again, and so do those behind it.
    func takeBack(_ sequence: Int64) {
        unacknowledged[sequence] = nil
        cursor = min(cursor, sequence - 1)
    }
}
