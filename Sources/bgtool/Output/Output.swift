// Standard output is for results, one stable line each; anything for people only goes to standard error.
import Foundation

enum Output {
    /// A result.
    static func line(_ text: String) { write(oneLine(text) + "\n") }

    /// Text as it is, at once: whoever reads a pipe sees each line when it happens.
    static func write(_ text: String) {
        if Stream.results.write(text) { return }
        let reason = String(cString: strerror(errno))
        guard !failure.isNoted() else { return }
        complain("Error: results cannot be written to standard output: \(reason). The transfers go on.")
    }

    /// The status to end with: a program whose results were lost has not succeeded.
    static func status(_ status: Int32) -> Int32 {
        status == ExitStatus.success && failure.hasHappened ? ExitStatus.failure : status
    }

    private static let failure = Failure()

    private final class Failure: @unchecked Sendable {
        // Unchecked: guarded by `lock`.
        private let lock = NSLock()
        private var isSaid = false

        var hasHappened: Bool { lock.withLock { isSaid } }

        /// Whether it was noted before.
        func isNoted() -> Bool {
            lock.withLock {
                defer { isSaid = true }
                return isSaid
            }
        }
    }

    /// Help or a version; exit status 0.
    static func show(_ text: String) -> Int32 {
        write(text + "\n")
        return ExitStatus.success
    }

    /// A word to the person.
    static func tell(_ text: String) { complain(text) }

    static func complain(_ text: String) {
        Stream.people.write(text + "\n")
    }

    /// What comes from servers and file names must neither break a line nor steer a terminal.
    static func oneLine(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }))
    }

    static var isTerminal: Bool { isatty(2) == 1 }
}
