// A command as it is declared: what it is for, an example, what it takes, and
// the commands below it. A command either takes arguments or has subcommands,
// never both; the parser relies on it.

struct CommandSpec: Sendable, Equatable {
    let name: String
    /// One sentence; also the command's line in its parent's list.
    let overview: String
    /// More for the command's own help, one paragraph each.
    var discussion: [String] = []
    /// A command line that works, without a prompt.
    let example: String
    var arguments: [ArgumentSpec] = []
    var options: [OptionSpec] = []
    var subcommands: [CommandSpec] = []
    /// What `--version` prints; nil where that option does not exist.
    var version: String?

    /// All options a person may write, with those every command has.
    var allOptions: [OptionSpec] {
        options + (version == nil ? [] : [.version]) + [.help]
    }

    func option(long: String) -> OptionSpec? {
        allOptions.first { $0.long == long }
    }

    func option(short: Character) -> OptionSpec? {
        allOptions.first { $0.short == short }
    }

    func subcommand(_ name: String) -> CommandSpec? {
        subcommands.first { $0.name == name }
    }
}
