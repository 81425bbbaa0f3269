// What `bgtool status` was asked to show.

struct StatusOptions: Sendable, Equatable {
    enum Scope: Sendable, Equatable {
        case session(String)
        case all
    }

    let scope: Scope
    let printsJSON: Bool
    let watches: Bool

    private static let all = OptionSpec.flag("all", help: "Show the transfers of every session.")
    private static let json = OptionSpec.flag("json", help: "Print JSON instead of lines.")
    private static let watch = OptionSpec.flag(
        "watch", help: "Go on showing changes until interrupted.")

    static let spec = CommandSpec(
        name: "status",
        overview: "Show transfers, a line each, without claiming them.",
        example: "bgtool status --all --watch",
        options: [SessionOption.spec, all, json, watch])

    init(_ parsed: ParsedArguments) throws(UsageError) {
        let session = try SessionOption.read(parsed)
        guard !(parsed.has(SessionOption.spec) && parsed.has(Self.all)) else {
            throw parsed.path.error(
                "'--session' and '--all' exclude each other; leave one of them out.")
        }
        scope = parsed.has(Self.all) ? .all : .session(session)
        printsJSON = parsed.has(Self.json)
        watches = parsed.has(Self.watch)
    }
}
