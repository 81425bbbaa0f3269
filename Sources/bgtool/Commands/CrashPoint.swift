// Places where the tests end bgtool on purpose, as SIGKILL would: on the line after `resume()`, inside each
// delegate callback, between placing a file and saying so, and when its command has just been started. Nothing
// of it is left in a release build.
import Foundation

enum CrashPoint: String {
    case afterResume, didResume, didWrite, didFinish, afterPlacing, afterCommand, didSend, didReceive
    case didComplete, didFinishEvents

    #if DEBUG
        /// BGTOOL_CRASH_POINT names the one at which this process dies.
        private static let chosen = getenv("BGTOOL_CRASH_POINT").map { String(cString: $0) }

        func reached() {
            if Self.chosen == rawValue { kill(getpid(), SIGKILL) }
        }
    #else
        @inline(__always) func reached() {}
    #endif
}
