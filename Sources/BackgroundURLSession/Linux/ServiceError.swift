// Why the transfer service cannot be had, or would not do what it was asked. Each says what helps.
import Foundation
import TransferProtocol

/// An error of the connection to the transfer service; not of a transfer.
public enum ServiceError: Error, Sendable, Equatable {
    /// No executable of the service in any of these places.
    case serviceNotFound(searched: [String])
    /// The executable is there and could not be started; `code` is an errno value.
    case serviceNotStartable(path: String, code: Int32)
    /// A file or folder of the service's could not be used; `code` is an errno value.
    case homeUnusable(attempt: String, path: String, code: Int32)
    /// Something that is not a socket stands where the service's socket belongs.
    case notASocket(path: String)
    /// The socket belongs to somebody else's process.
    case otherUser(path: String, uid: UInt32?)
    /// Another process owns the session.
    case sessionInUse(identifier: String, pid: Int32?)
    /// The service that runs is newer than this program.
    case clientTooOld(clientVersion: Int, serviceVersion: Int)
    /// The service was started, and ended before it said hello.
    case leftAtOnce(log: String)
    /// The service holds its connections and says nothing.
    case notAnswering(home: String)
    /// The service does not run, and was not to be started.
    case notRunning
    /// The service would not do it.
    case refused(message: String)
    /// The connection ended before the answer came.
    case disconnected
    /// The session has been invalidated.
    case closed
}

extension ServiceError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .serviceNotFound(let searched):
            "The transfer service, urlsessiond, was not found. Install it, or set URLSESSIOND_PATH to it. "
                + "Looked at:\n" + searched.map { "  " + $0 }.joined(separator: "\n")
        case .serviceNotStartable(let path, let code):
            "The transfer service \(path) could not be started: \(Self.words(code)). \(Self.startRemedy(code))"
        case .homeUnusable(let attempt, let path, let code):
            "Could not \(attempt) \(path): \(Self.words(code)). "
                + "Mend it, or set URLSESSIOND_HOME to another folder."
        case .notASocket(let path):
            "\(path) is in the way: the transfer service's socket belongs there, and this is something else. "
                + "Move it away."
        case .otherUser(let path, let uid):
            "The transfer service at \(path) belongs to another user (\(uid.map { "uid \($0)" } ?? "unknown")). "
                + "Set URLSESSIOND_HOME to a folder of your own."
        case .sessionInUse(let identifier, let pid):
            "The session \(identifier) is in use by another process"
                + (pid.map { " (pid \($0))" } ?? "")
                + ". Wait until that has ended, or use another identifier."
        case .clientTooOld(let client, let service):
            "The transfer service speaks version \(service) of its protocol and this program version \(client). "
                + "Update this program, or stop the service so that an older one is started."
        case .leftAtOnce(let log):
            "The transfer service was started and ended at once. Its log says why: \(log)"
        case .notAnswering(let home):
            "The transfer service in \(home) does not answer. Stop its process; the next start goes on with its "
                + "transfers."
        case .notRunning: "The transfer service is not running."
        case .refused(let message): message
        case .disconnected: "The transfer service ended before it answered. Try again."
        case .closed: "The session has been invalidated. Make a new one."
        }
    }

    /// Whether trying again later may help without anybody doing anything about it here.
    var mayMend: Bool {
        switch self {
        case .sessionInUse, .closed, .clientTooOld: false
        default: true
        }
    }

    init(_ failure: LinkFailure) {
        switch failure {
        case .refused(let error): self = .refused(message: error.message)
        case .unavailable(let error): self = error
        }
    }

    init(_ error: SystemCallError) {
        self = .homeUnusable(attempt: error.attempt, path: error.path, code: error.code)
    }

    private static func words(_ code: Int32) -> String { String(cString: strerror(code)) }

    private static func startRemedy(_ code: Int32) -> String {
        switch code {
        case EACCES, EPERM: "Make it executable for this user, and see that its file system allows that."
        case ENOEXEC: "It is not a program for this machine; install the right one."
        case ENOENT: "Its loader is missing; install it for this system."
        default: "Install it again, or set URLSESSIOND_PATH to another."
        }
    }
}

extension ServiceError: LocalizedError {
    public var errorDescription: String? { description }
}
