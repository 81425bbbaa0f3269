// What a person decides about a whole client, all its sessions together.
import Foundation

/// The user ends an app on purpose: every task of it is cancelled with reason 0, and it is not woken until a
/// person starts it again.
public struct AdminForceQuit: ServiceCall {
    public static let method = "admin.forceQuit"
    public var client: String
    /// True: its connected processes are killed first, so that the next one hears of it.
    public var endsProcesses: Bool?

    public struct Result: Codable, Sendable, Equatable {
        /// Tasks that had not ended.
        public var cancelled: Int
        /// The pids of the processes that were killed.
        public var ended: [Int32]

        public init(cancelled: Int, ended: [Int32]) {
            self.cancelled = cancelled
            self.ended = ended
        }
    }

    public init(client: String, endsProcesses: Bool? = nil) {
        self.client = client
        self.endsProcesses = endsProcesses
    }
}

/// Switches background transfers of a client off or on, or only asks.
public struct AdminClient: ServiceCall {
    public static let method = "admin.client"
    public var client: String
    /// Nil: as it is. False: its tasks are cancelled with reason 1, and new ones end so.
    public var allowsBackground: Bool?

    public struct Result: Codable, Sendable, Equatable {
        public var allowsBackground: Bool
        public var cancelled: Int

        public init(allowsBackground: Bool, cancelled: Int) {
            self.allowsBackground = allowsBackground
            self.cancelled = cancelled
        }
    }

    public init(client: String, allowsBackground: Bool? = nil) {
        self.client = client
        self.allowsBackground = allowsBackground
    }
}
