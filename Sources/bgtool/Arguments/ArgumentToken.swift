// What kind of thing one word of a command line is, seen by itself: an option,
// the terminator, or a plain word. Whether a plain word is an option's value or
// an argument depends on its neighbours, which only the parser sees.

enum ArgumentToken: Equatable {
    /// `--name` or `--name=value`
    case long(String, attached: String?)
    /// `-o`, `-oVALUE`, `-o=VALUE` or several flags in one word
    case short(String)
    /// `--`: everything after it is an argument
    case terminator
    case plain

    init(_ word: String, in command: CommandSpec) {
        if word == "--" {
            self = .terminator
        } else if word.hasPrefix("--") {
            let parts = word.dropFirst(2).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            self = .long(String(parts[0]), attached: parts.count == 2 ? String(parts[1]) : nil)
        } else if word.hasPrefix("-"), word != "-", !Self.isNegativeNumber(word, in: command) {
            self = .short(String(word.dropFirst()))
        } else {
            self = .plain
        }
    }

    /// `-5` is a number, unless the command has an option of that letter.
    private static func isNegativeNumber(_ word: String, in command: CommandSpec) -> Bool {
        let first = word.dropFirst().first ?? "-"
        guard first.isNumber || first == ".", Double(word) != nil else { return false }
        return command.option(short: first) == nil
    }
}
