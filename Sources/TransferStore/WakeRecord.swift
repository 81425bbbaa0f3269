// What is remembered of one session's wakes, so that their spacing survives the service. A plain value; what
// it means is decided by WakePolicy.
import Foundation

/// The wakes of one session.
public struct WakeRecord: Codable, Sendable, Equatable {
    public enum Outcome: String, Codable, Sendable {
        /// The program runs.
        case visiting
        /// It has said that it dealt with everything.
        case closed
        /// It ended by itself, successfully, and said nothing.
        case exited
        /// It ended by itself with another status, or of a signal.
        case failed
        /// It was ended, its time being over.
        case overran
        /// The command could not be executed.
        case notStarted
    }

    /// A program of a wake, as long as it has neither ended nor closed its visit.
    public struct Visit: Codable, Sendable, Equatable {
        public var token: String
        /// 0 until it is started.
        public var pid: Int32 = 0
        /// When the kernel started it, in its ticks: a pid may come again, the two together do not.
        public var startTicks: UInt64 = 0
        public var began: Date
        /// The newest event there was: what it is woken for.
        public var newest: Int64
        /// The newest question there was; nil when there was none.
        public var question: Int64?
        public var hasQueued = false
        /// Its time is over and it was asked to end.
        public var isEnding = false

        public init(token: String, began: Date, newest: Int64, question: Int64? = nil) {
            self.token = token
            self.began = began
            self.newest = newest
            self.question = question
        }
    }

    /// Wakes that count since the person was there; sets the spacing.
    public var level = 0
    public var launches = 0
    public var lastLaunch: Date?
    /// No wake before, and no start of what a visit queued.
    public var notBefore: Date?
    public var outcome: Outcome?
    public var detail: String?
    /// The newest event that somebody has dealt with, or was woken for and left.
    public var seen: Int64 = 0
    /// The newest question that somebody was woken for and left.
    public var seenQuestion: Int64?
    public var visit: Visit?
    /// The level of the last visit: what descends from it counts so, also when the visit is over.
    public var visitLevel = 0
    /// The person ended the client on purpose: it is not woken until they start it.
    public var isQuit = false

    public init() {}
}

/// What is remembered of a client beyond its sessions.
public struct ClientRecord: Codable, Sendable, Equatable {
    /// Background transfers are switched off for it.
    public var isSwitchedOff = false

    public init() {}
}
