// Places where the tests end a process on purpose: each use of the records' folder and of a destination. Compiled
// into debug builds only.

import Foundation
import Glibc

enum DeathPoint {
    #if DEBUG
        private static let chosen = ProcessInfo.processInfo.environment["DOWNLOADS_CRASH_AT"].flatMap {
            Int($0)
        }
        private static let lock = NSLock()
        nonisolated(unsafe) private static var passes = 0

        /// With DOWNLOADS_CRASH_AT=N the process dies at the Nth of all passes.
        static func passed() {
            guard let chosen else { return }
            lock.withLock {
                passes += 1
                if passes == chosen { kill(getpid(), SIGKILL) }
            }
        }
    #else
        @inline(__always) static func passed() {}
    #endif
}
