// What `bgtool sessions` was asked to show.

struct SessionsOptions: Sendable, Equatable {
    let printsJSON: Bool

    private static let json = OptionSpec.flag("json", help: "Print JSON instead of lines.")

    static let spec = CommandSpec(
        name: "sessions",
        overview: "List the sessions the service knows, also those without an owner.",
        example: "bgtool sessions --json",
        options: [json])

    init(_ parsed: ParsedArguments) {
        printsJSON = parsed.has(Self.json)
    }
}
