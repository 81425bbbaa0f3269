// What a person may decide about a client as a whole: Linux only. Blocks until the service has answered.
import TransferProtocol

extension BackgroundService {
    /// What a force-quit has ended.
    public struct ForceQuitOutcome: Sendable, Equatable {
        /// Tasks that had not ended.
        public var cancelledTasks: Int
        /// The pids of processes that were killed.
        public var endedProcesses: [Int32]
    }

    /// Ends a client as a user does who quits an app on purpose: every task of it ends with `-999` and the
    /// reason `userForceQuitApplication`, and it is not woken until a person starts it. Starts the service.
    /// - Parameters:
    ///   - client: its name; see `clientName`.
    ///   - endingProcesses: kills its connected processes first; never the one that asks.
    @discardableResult
    public static func forceQuit(
        client: String, endingProcesses: Bool = false
    ) throws(ServiceError) -> ForceQuitOutcome {
        let result = try desk.ask(AdminForceQuit(client: client, endsProcesses: endingProcesses))
        return ForceQuitOutcome(cancelledTasks: result.cancelled, endedProcesses: result.ended)
    }

    /// Whether a client's background transfers are allowed. Starts the service.
    public static func allowsBackground(client: String) throws(ServiceError) -> Bool {
        try desk.ask(AdminClient(client: client)).allowsBackground
    }

    /// Switches a client's background transfers off or on. Off: its tasks end with `-999` and the reason
    /// `backgroundUpdatesDisabled`, as new ones do, and it is not woken. Starts the service.
    /// - Returns: how many tasks were cancelled.
    @discardableResult
    public static func setAllowsBackground(_ allows: Bool, client: String) throws(ServiceError) -> Int {
        try desk.ask(AdminClient(client: client, allowsBackground: allows)).cancelled
    }
}
