// What only Linux has on a configuration. Set before the session is made.
import Foundation

extension URLSessionConfiguration {
    /// Linux only. Seconds to wait for another process to let go of the session; 1 unless set. Afterwards the
    /// session's tasks fail with `-996`.
    public var ownershipPatience: TimeInterval {
        get { patience }
        set { patience = max(0, newValue) }
    }

    /// Linux only. The session makes, looks at and cancels tasks, and leaves every result to a process that
    /// comes for it: its delegate hears of nothing that the service did.
    public var leavesEventsUndelivered: Bool {
        get { leavesEvents }
        set { leavesEvents = newValue }
    }

    /// Linux only. The program that the service starts, while `sessionSendsLaunchEvents` is true, when every
    /// task of the session has ended and no process owns it. Nil starts nothing. Recorded with the session: the
    /// last process that made it decides.
    public var launchCommand: LaunchCommand? {
        get { launch }
        set { launch = newValue }
    }
}
