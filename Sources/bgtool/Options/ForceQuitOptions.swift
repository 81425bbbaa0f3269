// What `bgtool force-quit` was asked to end.

struct ForceQuitOptions: Sendable, Equatable {
    /// Nil: this program's own.
    let client: String?
    let endsProcesses: Bool

    static let client = OptionSpec.value(
        "client", "name", help: "The client: its executable's name. (default: bgtool)")
    private static let end = OptionSpec.flag(
        "end", help: "Kill the client's processes too, those of them that use the service.")

    static let spec = CommandSpec(
        name: "force-quit",
        overview: "End a client on purpose: cancel all its transfers, and do not wake it.",
        discussion: [
            "Its next process hears that the user quit it. Ctrl-C, a closed terminal and kill -9 are not that: "
                + "they cancel nothing."
        ],
        example: "bgtool force-quit --client bgtool --end",
        options: [client, end])

    init(_ parsed: ParsedArguments) throws(UsageError) {
        client = try parsed.value(of: Self.client, as: LabelArgument.self)?.text
        endsProcesses = parsed.has(Self.end)
    }
}
