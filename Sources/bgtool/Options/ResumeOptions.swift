// What `bgtool resume` was asked to do.

struct ResumeOptions: Sendable, Equatable {
    let session: String
    /// Seconds to wait for the transfers to end; nil: as long as they take.
    let timeout: Double?

    private static let timeoutOption = OptionSpec.value(
        "timeout", "seconds", help: "Leave after so long; the transfers go on. (default: never)")

    static let spec = CommandSpec(
        name: "resume",
        overview: "Pick a session's transfers up again and put finished files in place.",
        discussion: ["Interrupt it when you like: the transfers go on without it."],
        example: "bgtool resume --timeout 60",
        options: [SessionOption.spec, timeoutOption])

    init(_ parsed: ParsedArguments) throws(UsageError) {
        session = try SessionOption.read(parsed)
        timeout = try parsed.value(of: Self.timeoutOption, as: SecondsArgument.self)?.seconds
    }
}
