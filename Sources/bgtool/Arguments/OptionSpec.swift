// One option of a command as it is declared: its spellings, whether it takes a
// value, and its line of help. It holds no value and reads none; that is
// ParsedArguments' work.

struct OptionSpec: Sendable, Equatable {
    /// The long name without its dashes.
    let long: String
    let short: Character?
    /// What stands between angle brackets in the help; nil for a flag.
    let valueName: String?
    let repeats: Bool
    /// Its value is the rest of the command line, whatever that looks like.
    var takesRest = false
    let help: String

    static func flag(_ long: String, short: Character? = nil, help: String) -> OptionSpec {
        OptionSpec(long: long, short: short, valueName: nil, repeats: false, help: help)
    }

    /// An option with a value. Given more than once, the last one counts, unless it `repeats`.
    static func value(
        _ long: String, short: Character? = nil, _ valueName: String, repeats: Bool = false,
        help: String
    ) -> OptionSpec {
        OptionSpec(long: long, short: short, valueName: valueName, repeats: repeats, help: help)
    }

    /// An option that ends the options: every word behind it is its own.
    static func rest(_ long: String, _ valueName: String, help: String) -> OptionSpec {
        OptionSpec(
            long: long, short: nil, valueName: valueName, repeats: true, takesRest: true, help: help)
    }

    static let help = flag("help", short: "h", help: "Show help information.")
    static let version = flag("version", help: "Show the version.")

    var takesValue: Bool { valueName != nil }

    /// As error messages name it: `--wait <seconds>`.
    var display: String { "--\(long)\(valueSuffix)" }

    /// As the help's left column shows it: `-o, --output <file>`.
    var label: String { short.map { "-\($0), \(display)" } ?? display }

    /// As the usage line shows it: `[--header <header> ...]`.
    var synopsis: String {
        if takesRest { return "[\(display) [<argument> ...]]" }
        return repeats ? "[\(display) ...]" : "[\(display)]"
    }

    private var valueSuffix: String { valueName.map { " <\($0)>" } ?? "" }
}
