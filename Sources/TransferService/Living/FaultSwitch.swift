// The switches by which tests bring about faults that no machine shows on demand. They are compiled into
// debug builds only: a release build does not even hold their names, and `make release` looks.
import Foundation

#if DEBUG
    enum FaultSwitch: String {
        /// A file that lists where the lives to come end, a line a life; see `CrashPoint`.
        case crashes = "URLSESSIOND_CRASHES_FILE"
        /// Stands for the kernel's boot id: another one is another boot of the machine.
        case bootIdentity = "URLSESSIOND_BOOT_IDENTITY"

        /// A file with the seconds by which the wall clock was set, read whenever somebody asks for the date.
        case clock = "URLSESSIOND_CLOCK_FILE"

        var value: String? { getenv(rawValue).map { String(cString: $0) } }
    }
#endif
