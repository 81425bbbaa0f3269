// `--session ID`, the same in every mode that has it.

enum SessionOption {
    static let spec = OptionSpec.value(
        "session", "id",
        help: "The background session's identifier. (default: \(LessonDefaults.session))")

    static func read(_ parsed: ParsedArguments) throws(UsageError) -> String {
        try parsed.value(of: spec, as: LabelArgument.self)?.text ?? LessonDefaults.session
    }
}
