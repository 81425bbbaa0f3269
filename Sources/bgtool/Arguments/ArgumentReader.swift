// Walks once over the words of one command and sorts them into its options and
// arguments. A value that lives for one parse; ArgumentParser chooses the
// command before and answers questions for help.

struct ArgumentReader {
    private let path: CommandPath
    private var words: ArraySlice<String>
    private var plain: [String] = []
    private var parsed: ParsedArguments

    init(path: CommandPath, words: ArraySlice<String>) {
        self.path = path
        self.words = words
        parsed = ParsedArguments(path: path, request: .run)
    }

    mutating func read() throws(UsageError) -> ParsedArguments {
        while let word = words.popFirst() {
            switch ArgumentToken(word, in: path.command) {
            case .long(let name, let attached): try readLong(name, attached)
            case .short(let cluster): try readShort(cluster)
            case .terminator:
                plain += words
                words = []
            case .plain: plain.append(word)
            }
        }
        try distribute()
        return parsed
    }

    private mutating func readLong(_ name: String, _ attached: String?) throws(UsageError) {
        guard let option = path.command.option(long: name) else {
            throw unknown("--\(name)", near: name)
        }
        if option.takesValue {
            if option.takesRest { return try readRest(option, attached) }
            let value = if let attached { attached } else { try nextValue(for: option) }
            parsed.note(option, value)
        } else if let attached {
            throw path.error(
                "The option '--\(name)' does not take any value, but \(attached.quoted) was specified.")
        } else {
            parsed.note(option, "")
        }
    }

    private mutating func readRest(_ option: OptionSpec, _ attached: String?) throws(UsageError) {
        let all = (attached.map { [$0] } ?? []) + words
        guard !all.isEmpty else { throw path.error("Missing value for '\(option.display)'") }
        for word in all { parsed.note(option, word) }
        words = []
    }

    private mutating func readShort(_ cluster: String) throws(UsageError) {
        // `-output x` would otherwise be the file "utput".
        guard path.command.option(long: cluster) == nil || cluster.count == 1 else {
            throw unknown("-\(cluster)", near: cluster)
        }
        var rest = Substring(cluster)
        while let letter = rest.popFirst() {
            guard let option = path.command.option(short: letter) else {
                throw unknown(cluster.count > 1 ? "-\(cluster)" : "-\(letter)", near: cluster)
            }
            guard option.takesValue else {
                parsed.note(option, "")
                continue
            }
            let joined = rest.hasPrefix("=") ? rest.dropFirst() : rest
            parsed.note(option, rest.isEmpty ? try nextValue(for: option) : String(joined))
            return
        }
    }

    private mutating func nextValue(for option: OptionSpec) throws(UsageError) -> String {
        guard let word = words.first, ArgumentToken(word, in: path.command) == .plain else {
            throw path.error("Missing value for '\(option.display)'")
        }
        words.removeFirst()
        return word
    }

    private mutating func distribute() throws(UsageError) {
        var rest = plain[...]
        for argument in path.command.arguments {
            switch argument.count {
            case .optional:
                if let word = rest.popFirst() { parsed.note(argument, [word]) }
            case .any:
                if !rest.isEmpty { parsed.note(argument, Array(rest)) }
                rest = []
            case .oneOrMore:
                guard !rest.isEmpty else {
                    throw path.error("Missing expected argument '\(argument.synopsis)'")
                }
                parsed.note(argument, Array(rest))
                rest = []
            }
        }
        let left = rest.map(\.quoted).joined(separator: ", ")
        switch rest.count {
        case 0: return
        case 1: throw path.error("Unexpected argument \(left)")
        default: throw path.error("\(rest.count) unexpected arguments: \(left)")
        }
    }

    private func unknown(_ word: String, near name: String) -> UsageError {
        let suggestion = Suggestion(for: name, among: path.command.allOptions.map(\.long))
        let hint = suggestion.map { ". Did you mean '--\($0.word)'?" } ?? ""
        return path.error("Unknown option \(word.quoted)\(hint)")
    }
}
