// What `bgtool cancel` was asked to end. Which transfers the words mean is
// known only once the session has been asked.

struct CancelOptions: Sendable, Equatable {
    /// Names or task identifiers, at least one, as they were written.
    let targets: [String]
    let session: String
    /// Keep what has arrived, so that the next start of that wish goes on from there.
    let keepsBytes: Bool
    /// Remove also what has ended and waits for somebody, with its file.
    let discards: Bool

    private static let task = ArgumentSpec(
        "task", .oneOrMore, help: "A transfer's name or identifier.")
    private static let keep = OptionSpec.flag(
        "keep", help: "Keep what has arrived; the next start goes on from there.")
    private static let discard = OptionSpec.flag(
        "discard", help: "Remove also a result that waits for 'bgtool resume', with its file.")

    static let spec = CommandSpec(
        name: "cancel",
        overview: "End transfers, or pause them with --keep.",
        example: "bgtool cancel book.m4b --keep",
        arguments: [task],
        options: [SessionOption.spec, keep, discard])

    init(_ parsed: ParsedArguments) throws(UsageError) {
        targets = try parsed.values(of: Self.task, as: LabelArgument.self).map(\.text)
        session = try SessionOption.read(parsed)
        keepsBytes = parsed.has(Self.keep)
        discards = parsed.has(Self.discard)
    }
}
