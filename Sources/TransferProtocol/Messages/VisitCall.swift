// The words about wakes: a visit is one start of the owner's program by the service.
import Foundation

/// The woken program has dealt with what it was woken for. Any connection of that program may say so.
public struct CloseVisit: ServiceCall {
    public static let method = "visit.close"
    /// `URLSESSION_VISIT` of the program's environment.
    public var visit: String
    public typealias Result = NoContent
    public init(visit: String) { self.visit = visit }
}

/// What the service adds to a woken program's environment.
public enum VisitEnvironment {
    /// The identifier of the session whose tasks have ended.
    public static let identifier = "URLSESSION_IDENTIFIER"
    /// Names the visit. Whoever has it in its environment descends from a wake and is not the person.
    public static let visit = "URLSESSION_VISIT"
}

/// The wakes of one session, for people.
public struct WakeSummary: Codable, Sendable, Equatable {
    /// How often the program was started, or was to be.
    public var launches: Int
    public var last: Date?
    /// What became of the last one: `visiting`, `closed`, `exited`, `failed`, `overran`, `notStarted`.
    public var outcome: String?
    /// A few words about it.
    public var detail: String?
    /// Before this date it is not started again; absent: at any time.
    public var next: Date?

    public init(launches: Int, last: Date?, outcome: String?, detail: String?, next: Date?) {
        self.launches = launches
        self.last = last
        self.outcome = outcome
        self.detail = detail
        self.next = next
    }
}
