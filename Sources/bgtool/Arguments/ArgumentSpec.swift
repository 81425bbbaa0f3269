// One positional argument of a command as it is declared: its name, how many
// words it takes, and its line of help. It holds no value.

struct ArgumentSpec: Sendable, Equatable {
    enum Count: Sendable {
        case optional
        case any
        case oneOrMore
    }

    let name: String
    let count: Count
    let help: String

    init(_ name: String, _ count: Count, help: String) {
        self.name = name
        self.count = count
        self.help = help
    }

    /// As error messages and the help's left column name it.
    var display: String { "<\(name)>" }

    /// As the usage line shows it.
    var synopsis: String {
        switch count {
        case .optional: "[\(display)]"
        case .any: "[\(display) ...]"
        case .oneOrMore: "\(display) ..."
        }
    }
}
