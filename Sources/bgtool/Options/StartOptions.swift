// What `bgtool start` was asked to do. Valid by itself; whether the destination
// can be written and the wish is new is asked later.

import Downloads
import Foundation

struct StartOptions: Sendable, Equatable {
    private(set) var address: URL
    /// The transfer's `taskDescription`.
    private(set) var name: String
    /// Further addresses, each a wish of its own.
    private var others: [URL]
    let session: String
    /// Where the file goes as it was written; nil: the server suggests.
    let output: String?
    /// Seconds to watch before leaving; 0: leave as soon as the wish is committed.
    let wait: Double
    /// The expected SHA-256, lower-case hexadecimal.
    let sha256: String?
    let headers: [HeaderArgument]
    let replacesExisting: Bool
    let queuesAgain: Bool
    /// What to run when the file is in place.
    let onFinish: [String]
    let conditions: ConditionOptions
    /// No address was given: the lesson, whose file is kept only with `output`.
    let isLesson: Bool

    private static let url = ArgumentSpec(
        "url", .any,
        help: "What to download. (default: the lesson's \(LessonDefaults.downloadAddress))")
    private static let outputOption = OptionSpec.value(
        "output", short: "o", "file",
        help: "Where to put the file. (default: what the server suggests, in this folder)")
    private static let nameOption = OptionSpec.value(
        "name", "name", help: "The transfer's name. (default: the address's last part)")
    private static let waitOption = OptionSpec.value(
        "wait", "seconds",
        help: "Watch for so long before leaving. "
            + "(default: 0; for the lesson \(Int(LessonDefaults.watch)))")
    private static let sha256Option = OptionSpec.value(
        "sha256", "hex", help: "Keep the file aside unless it has this SHA-256.")
    private static let force = OptionSpec.flag(
        "force", help: "Replace a file that is already at the destination.")
    private static let again = OptionSpec.flag(
        "again", help: "Queue without asking whether the same transfer exists.")

    private static let onFinishOption = OptionSpec.rest(
        "on-finish", "command",
        help:
            "Run this when the file is in place, also if nobody runs 'bgtool resume'. Last option: all that "
            + "follows is the command and its arguments.")

    static let spec = CommandSpec(
        name: "start",
        overview: "Start downloads and leave them to the service.",
        discussion: [
            "The same name with the same address is one wish: asking twice downloads once. "
                + "The file is put in place by the next 'bgtool resume'."
        ],
        example: "bgtool start https://example.com/book.m4b -o ~/Books/book.m4b",
        arguments: [url],
        options: [
            outputOption, nameOption, SessionOption.spec, waitOption, sha256Option, HeaderOption.spec,
            force, again, onFinishOption,
        ] + ConditionOptions.specs)

    init(_ parsed: ParsedArguments) throws(UsageError) {
        isLesson = !parsed.has(Self.url)
        address = try parsed.value(
            of: Self.url, as: AddressArgument.self, default: LessonDefaults.downloadAddress
        ).url
        others = try parsed.values(of: Self.url, as: AddressArgument.self).dropFirst().map(\.url)
        if !others.isEmpty {
            for option in [Self.outputOption, Self.nameOption, Self.sha256Option] where parsed.has(option) {
                throw parsed.path.error("'\(option.display)' is about one download; give one '<url>'")
            }
        }
        name =
            try parsed.value(of: Self.nameOption, as: LabelArgument.self)?.text
            ?? (isLesson ? LessonDefaults.downloadName : SuggestedFilename(address: address).name)
        session = try SessionOption.read(parsed)
        output = try parsed.value(of: Self.outputOption, as: FileArgument.self)?.path
        wait =
            try parsed.value(of: Self.waitOption, as: SecondsArgument.self)?.seconds
            ?? (isLesson ? LessonDefaults.watch : 0)
        sha256 = try parsed.value(of: Self.sha256Option, as: SHA256Argument.self)?.hex
        headers = try HeaderOption.read(parsed)
        replacesExisting = parsed.has(Self.force)
        queuesAgain = parsed.has(Self.again)
        conditions = try ConditionOptions(parsed)
        onFinish = try parsed.values(of: Self.onFinishOption, as: CommandWordArgument.self).map(\.text)
        guard onFinish.isEmpty || output != nil || !isLesson else {
            throw parsed.path.error(
                "'--on-finish' needs a file in place; name one with '--output' for the lesson's download.")
        }
    }

    /// Each address by itself.
    var each: [StartOptions] {
        [self]
            + others.map { address in
                var options = self
                options.address = address
                options.name = SuggestedFilename(address: address).name
                return options
            }
    }
}
