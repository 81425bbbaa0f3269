// The commands named on a command line, from the root down to the one that is
// meant, e.g. bgtool → service → log. It renders how that command is called
// and makes the errors that speak of it.

struct CommandPath: Sendable, Equatable {
    let root: CommandSpec
    private(set) var descent: [CommandSpec] = []

    init(_ root: CommandSpec) {
        self.root = root
    }

    var command: CommandSpec { descent.last ?? root }

    var names: [String] { [root.name] + descent.map(\.name) }

    /// `bgtool service log`
    var title: String { names.joined(separator: " ") }

    /// The parts of the usage line, of which none may be broken when it is wrapped.
    var synopsis: [String] {
        guard command.subcommands.isEmpty else { return [title, "<subcommand>"] }
        return [title] + command.arguments.map(\.synopsis) + command.options.map(\.synopsis)
    }

    mutating func descend(to subcommand: CommandSpec) {
        descent.append(subcommand)
    }

    func error(_ message: String) -> UsageError {
        UsageError(message: message, usage: synopsis.joined(separator: " "), command: title)
    }
}
