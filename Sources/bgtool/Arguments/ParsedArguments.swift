// What a command line said, as text by option and argument, and typed access
// to it. Reading a value as a type is where a bad one becomes a UsageError that
// names its option; what values mean together is decided by the options structs.

struct ParsedArguments: Sendable, Equatable {
    enum Request: Sendable {
        case run
        case help
        case version
    }

    let path: CommandPath
    let request: Request
    private(set) var options: [String: [String]] = [:]
    private(set) var arguments: [String: [String]] = [:]

    init(path: CommandPath, request: Request) {
        self.path = path
        self.request = request
    }

    mutating func note(_ option: OptionSpec, _ value: String) {
        options[option.long, default: []].append(value)
    }

    mutating func note(_ argument: ArgumentSpec, _ words: [String]) {
        arguments[argument.name] = words
    }

    func has(_ option: OptionSpec) -> Bool {
        options[option.long] != nil
    }

    func has(_ argument: ArgumentSpec) -> Bool {
        arguments[argument.name] != nil
    }

    /// The option's last value, or nil if it was not given.
    func value<Value: ArgumentValue>(of option: OptionSpec, as type: Value.Type)
        throws(UsageError) -> Value?
    {
        guard let text = options[option.long]?.last else { return nil }
        return try read(text, as: type, for: option.display)
    }

    func values<Value: ArgumentValue>(of option: OptionSpec, as type: Value.Type)
        throws(UsageError) -> [Value]
    {
        try read(options[option.long] ?? [], as: type, for: option.display)
    }

    /// The argument's first word, or nil if it was not given.
    func value<Value: ArgumentValue>(of argument: ArgumentSpec, as type: Value.Type)
        throws(UsageError) -> Value?
    {
        try values(of: argument, as: type).first
    }

    /// The argument's first word, or the text that stands for it when it was not given.
    func value<Value: ArgumentValue>(
        of argument: ArgumentSpec, as type: Value.Type, default text: String
    ) throws(UsageError) -> Value {
        try read(arguments[argument.name]?.first ?? text, as: type, for: argument.display)
    }

    func values<Value: ArgumentValue>(of argument: ArgumentSpec, as type: Value.Type)
        throws(UsageError) -> [Value]
    {
        try read(arguments[argument.name] ?? [], as: type, for: argument.display)
    }

    /// Reads a word that was not declared where it stands, in the same error wording.
    func read<Value: ArgumentValue>(_ text: String, as type: Value.Type, for display: String)
        throws(UsageError) -> Value
    {
        do throws(InvalidValue) {
            return try Value(argument: text)
        } catch {
            throw path.error(
                "The value \(Value.shown(text).quoted) is invalid for '\(display)': \(error.reason)")
        }
    }

    private func read<Value: ArgumentValue>(
        _ texts: [String], as type: Value.Type, for display: String
    ) throws(UsageError) -> [Value] {
        var values: [Value] = []
        for text in texts { values.append(try read(text, as: type, for: display)) }
        return values
    }
}
