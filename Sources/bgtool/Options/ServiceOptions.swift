// What `bgtool service …` was asked to do with the service itself.

enum ServiceOptions: Sendable, Equatable {
    case start
    case stop
    case restart
    case status(printsJSON: Bool)
    case log(follows: Bool, lines: Int)
    /// `allows` nil: only show.
    case background(allows: Bool?, client: String?)

    private enum Verb: String, CaseIterable {
        case start, stop, restart, status, log, background
    }

    static let defaultLines = 50

    private static let json = OptionSpec.flag("json", help: "Print JSON instead of a line.")
    private static let follow = OptionSpec.flag(
        "follow", short: "f", help: "Go on with new lines until interrupted.")
    private static let lines = OptionSpec.value(
        "lines", short: "n", "count", help: "How many of the last lines. (default: \(defaultLines))")

    private static let switchArgument = ArgumentSpec("switch", .optional, help: "on or off.")

    static let spec = CommandSpec(
        name: "service",
        overview: "Start, stop or look at the transfer service.",
        discussion: ["Every mode starts the service when it needs it; these are for people."],
        example: "bgtool service status",
        subcommands: Verb.allCases.map(spec))

    private static func spec(_ verb: Verb) -> CommandSpec {
        let example = "bgtool service \(verb.rawValue)"
        return switch verb {
        case .start:
            CommandSpec(
                name: verb.rawValue, overview: "Start the service if it does not run.", example: example)
        case .stop:
            CommandSpec(
                name: verb.rawValue, overview: "Stop the service; the next start resumes its transfers.",
                example: example)
        case .restart:
            CommandSpec(
                name: verb.rawValue, overview: "Stop the service and start it again.", example: example)
        case .status:
            CommandSpec(
                name: verb.rawValue, overview: "Show whether the service runs, and where it lives.",
                example: example, options: [json])
        case .log:
            CommandSpec(
                name: verb.rawValue, overview: "Show the service's log.",
                example: "\(example) --follow --lines 20", options: [follow, lines])
        case .background:
            CommandSpec(
                name: verb.rawValue,
                overview: "Show, or switch on or off, whether a client may transfer in the background.",
                discussion: ["Off: its transfers are cancelled, new ones fail, and it is not woken."],
                example: "\(example) off --client bgtool", arguments: [switchArgument],
                options: [ForceQuitOptions.client])
        }
    }

    init(_ parsed: ParsedArguments) throws(UsageError) {
        switch Verb(rawValue: parsed.path.command.name) {
        case .start: self = .start
        case .stop: self = .stop
        case .restart: self = .restart
        case .status: self = .status(printsJSON: parsed.has(Self.json))
        case .log:
            let count = try parsed.value(of: Self.lines, as: CountArgument.self)?.count
            self = .log(follows: parsed.has(Self.follow), lines: count ?? Self.defaultLines)
        case .background:
            self = .background(
                allows: try parsed.value(of: Self.switchArgument, as: SwitchArgument.self)?.isOn,
                client: try parsed.value(of: ForceQuitOptions.client, as: LabelArgument.self)?.text)
        case nil:
            throw parsed.path.error("Missing expected argument '<subcommand>'")
        }
    }
}
