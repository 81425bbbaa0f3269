// The transfer service as a program for people sees it: Linux only. Every call blocks until it is answered,
// and uses a connection of its own that claims no session. Any thread.
import Foundation
import TransferProtocol

/// The user's transfer service. Looking at it disturbs no owner.
public enum BackgroundService {
    static var desk: ServiceDesk { ServiceDesk(access: .current) }

    /// The folder in which everything lives: `URLSESSIOND_HOME`, or a place under the user's state folder.
    public static var home: String { ServiceAccess.current.home.folder }

    /// The file the service writes its log to.
    public static var log: String { ServiceAccess.current.home.log }

    /// The file that woken programs write their output to. The service cuts it to a few megabytes.
    public static var launchLog: String { ServiceAccess.current.home.launchLog }

    /// The client name of this program's sessions, unless a configuration says `sharedContainerIdentifier`.
    public static var clientName: String { ServiceAccess.current.clientName }

    /// A private folder in `home` for a client's own records of its transfers; made if it is missing.
    /// - Parameter client: nil is this program.
    public static func wishesFolder(client: String? = nil) throws(ServiceError) -> String {
        try desk.wishesFolder(client: client ?? clientName)
    }

    /// Starts the service unless it runs.
    /// - Returns: its process. It may leave at any time when nobody needs it.
    @discardableResult
    public static func ensureRunning() throws(ServiceError) -> Int32 { try desk.ensureRunning() }

    /// Every task that has not been dealt with, never resumed and ended ones included, in the order in which
    /// they were made. Starts the service, which alone can read its memory.
    /// - Parameters:
    ///   - client: nil is every client.
    ///   - session: nil is every session.
    ///   - name: a `taskDescription`; nil is every task. However many there are, few are looked at.
    public static func tasks(
        client: String? = nil, session: String? = nil, named name: String? = nil
    ) throws(ServiceError) -> [BackgroundTaskStatus] {
        try desk.tasks(client: client, session: session, named: name)
    }

    /// The sessions the service knows, owned or not. Starts the service.
    public static func sessions() throws(ServiceError) -> [BackgroundSessionStatus] { try desk.sessions() }

    /// Removes an ended task that nobody claims, with its file. Starts the service. Throws while a process owns
    /// the task's session: its delegate hears of the task, or has its file in hand.
    /// - Parameter key: `BackgroundTaskStatus.key`.
    public static func discard(key: Int64) throws(ServiceError) { try desk.discard(key: key) }

    /// The service about itself; nil when it does not run. Never starts it.
    public static func serviceStatus() throws(ServiceError) -> BackgroundServiceStatus? { try desk.status() }

    /// Asks the service to leave and waits until it has; transfers go on when it is started again.
    /// - Returns: false when it did not run.
    @discardableResult
    public static func shutdown() throws(ServiceError) -> Bool { try desk.shutdown() }
}
