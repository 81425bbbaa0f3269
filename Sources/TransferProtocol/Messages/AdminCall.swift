// What a person may ask of the service, beside any owner. Nothing here claims a session.
import Foundation

/// One page of tasks, of one session or of all.
public struct AdminTasks: ServiceCall {
    public static let method = "admin.tasks"
    /// Nil: every client's.
    public var client: String?
    /// Nil: every session's.
    public var session: String?
    public var after: Int64
    public var limit: Int
    /// Only those of this description; nil: all.
    public var description: String?
    public typealias Result = ListTasks.Result

    public init(client: String?, session: String?, after: Int64 = 0, limit: Int = 200) {
        self.client = client
        self.session = session
        self.after = after
        self.limit = limit
    }
}

/// The sessions the service knows, with what they hold.
public struct AdminSessions: ServiceCall {
    public static let method = "admin.sessions"
    public init() {}

    public struct Result: Codable, Sendable, Equatable {
        public var sessions: [SessionSummary]
        public init(sessions: [SessionSummary]) { self.sessions = sessions }
    }
}

public struct SessionSummary: Codable, Sendable, Equatable {
    public var client: String
    public var identifier: String
    /// The process that owns it now.
    public var owner: Int32?
    /// Tasks that have not ended.
    public var pending: Int
    /// Ended tasks whose events wait for an owner.
    public var undelivered: Int
    /// Its wakes; nil when there were none.
    public var wake: WakeSummary?

    public init(client: String, identifier: String, owner: Int32?, pending: Int, undelivered: Int) {
        self.client = client
        self.identifier = identifier
        self.owner = owner
        self.pending = pending
        self.undelivered = undelivered
    }
}

/// Removes a task that ended and whose events nobody claims, or that was never resumed, with its file.
public struct AdminDiscard: ServiceCall {
    public static let method = "admin.discard"
    public var key: Int64
    public typealias Result = NoContent
    public init(key: Int64) { self.key = key }
}

/// The service about itself.
public struct AdminService: ServiceCall {
    public static let method = "admin.service"
    public init() {}

    public struct Result: Codable, Sendable, Equatable {
        public var pid: Int32
        public var product: String
        public var home: String
        public var started: Date
        public var connections: Int
        public var running: Int
        public var queued: Int
        public var waiting: Int
        public var undelivered: Int

        public init(
            pid: Int32, product: String, home: String, started: Date, connections: Int, running: Int,
            queued: Int, waiting: Int, undelivered: Int
        ) {
            self.pid = pid
            self.product = product
            self.home = home
            self.started = started
            self.connections = connections
            self.running = running
            self.queued = queued
            self.waiting = waiting
            self.undelivered = undelivered
        }
    }
}
