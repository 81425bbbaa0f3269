// Standard output is for results, one stable line each; anything for people only goes to standard error.
import Foundation

enum Output {
    /// A result.
    static func line(_ text: String) { write(oneLine(text) + "\n") }

    /// Text as it is, at once: whoever reads a pipe sees each line when it happens.
    static func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }

    /// Help or a version; exit status 0.
    static func show(_ text: String) -> Int32 {
        write(text + "\n")
        return ExitStatus.success
    }

    /// A word to the person.
    static func tell(_ text: String) { complain(text) }

    static func complain(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }

    /// What comes from servers and file names must neither break a line nor steer a terminal.
    static func oneLine(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }))
    }

    static var isTerminal: Bool { isatty(2) == 1 }
}
