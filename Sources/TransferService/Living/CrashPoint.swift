// Places where the tests end the service on purpose. Compiled into debug builds only.
import Foundation

/// Set URLSESSIOND_CRASH_AT to a name, or to `name:N` for the Nth time, and the service dies there.
enum CrashPoint: String {
    case beforeCommit, afterCommit, betweenLinkAndAcknowledgement, inRecovery

    #if DEBUG
        nonisolated(unsafe) private static var passes: [CrashPoint: Int] = [:]
        private static let lock = NSLock()
        private static let chosen = ProcessInfo.processInfo.environment["URLSESSIOND_CRASH_AT"]

        func reached() {
            guard let chosen = Self.chosen else { return }
            let parts = chosen.split(separator: ":")
            guard parts.first.map(String.init) == rawValue else { return }
            Self.lock.lock()
            defer { Self.lock.unlock() }
            Self.passes[self, default: 0] += 1
            let wanted = parts.count > 1 ? Int(parts[1]) ?? 1 : 1
            if Self.passes[self] == wanted { kill(getpid(), SIGKILL) }
        }
    #else
        @inline(__always) func reached() {}
    #endif
}
