// A command line that cannot be understood, with what a person needs to mend
// it. It decides no exit status and prints nothing: the caller does both.

struct UsageError: Error, Equatable, CustomStringConvertible {
    /// What is wrong, naming the word and, where there is one, the remedy.
    let message: String
    /// How the command is called, without "Usage:".
    let usage: String
    /// The command's full title, for the pointer to its help.
    let command: String

    /// The three lines that go to standard error.
    var description: String {
        """
        Error: \(message)
        Usage: \(usage)
          See '\(command) --help' for more information.
        """
    }
}

extension String {
    /// The word in single quotes, with control characters made visible: what
    /// somebody typed or pasted must not steer the terminal that shows the error.
    var quoted: String {
        let visible = unicodeScalars.map { scalar in
            scalar.properties.generalCategory == .control
                ? scalar.escaped(asASCII: true) : String(scalar)
        }
        return "'\(visible.joined())'"
    }
}
