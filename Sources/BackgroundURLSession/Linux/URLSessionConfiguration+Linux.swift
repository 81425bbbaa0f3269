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

    /// Linux only. A PEM file of certificates that are trusted besides the system's. It is read for each
    /// connection, and must stay where it is.
    public var additionalCertificates: URL? {
        get { addedCertificates }
        set { addedCertificates = newValue }
    }

    /// Linux only, in place of a delegate that compares keys at a server-trust challenge: the keys that a
    /// server may have, each as `sha256//` and the base64 of its public key's SHA-256. Empty: any key that its
    /// certificate vouches for. A server with another key fails the task with `-1202`.
    public var pinnedPublicKeys: [String] {
        get { pinnedKeys }
        set { pinnedKeys = newValue }
    }

    /// Linux only, in place of a client-certificate challenge.
    public var clientIdentity: ClientIdentity? {
        get { identity }
        set { identity = newValue }
    }
}
