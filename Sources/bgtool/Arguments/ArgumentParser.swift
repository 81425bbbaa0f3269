// Reads a command line against a declared command, in the manner of
// swift-argument-parser. A pure function: it prints nothing, exits nowhere and
// keeps nothing. What a value means is not its business, only whose it is.

struct ArgumentParser: Sendable {
    let root: CommandSpec

    /// `words` are the command line's without the program's name.
    func parse(_ words: [String]) -> Result<ParsedArguments, UsageError> {
        do throws(UsageError) {
            return .success(try read(words))
        } catch {
            return .failure(error)
        }
    }

    private func read(_ words: [String]) throws(UsageError) -> ParsedArguments {
        var path = CommandPath(root)
        var rest = words[...]
        while !path.command.subcommands.isEmpty {
            guard let word = rest.popFirst() else {
                return ParsedArguments(path: path, request: .help)
            }
            switch ArgumentToken(word, in: path.command) {
            case .plain where word == "help" && path.descent.isEmpty:
                return try help(for: rest, from: path)
            case .plain:
                path.descend(to: try subcommand(word, of: path))
            case .long, .short, .terminator:
                return try rootRequest(word, path)
            }
        }
        if asksForHelp(rest, path.command) { return ParsedArguments(path: path, request: .help) }
        var reader = ArgumentReader(path: path, words: rest)
        return try reader.read()
    }

    /// Values that begin with a dash are attached to their option, so that a
    /// word `--help` before the terminator is never somebody's value.
    private func asksForHelp(_ words: ArraySlice<String>, _ command: CommandSpec) -> Bool {
        let ends = command.options.filter(\.takesRest).map { "--\($0.long)" } + ["--"]
        return words.prefix { !ends.contains($0) }.contains { $0 == "--help" || $0 == "-h" }
    }

    private func help(for names: ArraySlice<String>, from start: CommandPath)
        throws(UsageError) -> ParsedArguments
    {
        var path = start
        for name in names where name != "--help" && name != "-h" {
            path.descend(to: try subcommand(name, of: path))
        }
        return ParsedArguments(path: path, request: .help)
    }

    private func subcommand(_ name: String, of path: CommandPath)
        throws(UsageError) -> CommandSpec
    {
        if let found = path.command.subcommand(name) { return found }
        guard !path.command.subcommands.isEmpty else {
            throw path.error("Unexpected argument \(name.quoted)")
        }
        let known = path.command.subcommands.map(\.name)
        let suggestion = Suggestion(for: name, among: known + (path.descent.isEmpty ? ["help"] : []))
        let hint = suggestion.map { ". Did you mean '\($0.word)'?" } ?? ""
        throw path.error("Unknown subcommand \(name.quoted)\(hint)")
    }

    /// Before a subcommand only the questions every command answers may stand.
    private func rootRequest(_ word: String, _ path: CommandPath)
        throws(UsageError) -> ParsedArguments
    {
        var reader = ArgumentReader(path: path, words: [word])
        let parsed = try reader.read()
        return ParsedArguments(path: path, request: parsed.has(.version) ? .version : .help)
    }
}
