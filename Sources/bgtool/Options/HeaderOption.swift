// `-H 'Name: value'`, as often as needed, the same for start and upload.

enum HeaderOption {
    static let spec = OptionSpec.value(
        "header", short: "H", "header", repeats: true,
        help: "A header field for the request, as 'Name: value'; may be repeated.")

    static func read(_ parsed: ParsedArguments) throws(UsageError) -> [HeaderArgument] {
        try parsed.values(of: spec, as: HeaderArgument.self)
    }
}
