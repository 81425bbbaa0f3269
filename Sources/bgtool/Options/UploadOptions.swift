// What `bgtool upload` was asked to do. Whether the file exists and can be read
// is asked when the upload starts.

import Foundation

struct UploadOptions: Sendable, Equatable {
    /// The file as it was written; nil: the lesson's, which upload makes.
    let file: String?
    let address: URL
    let method: UploadMethod
    /// The transfer's `taskDescription`.
    let name: String
    let session: String
    /// Seconds to watch before leaving; 0: leave as soon as the wish is committed.
    let wait: Double
    let headers: [HeaderArgument]
    let conditions: ConditionOptions

    private static let fileArgument = ArgumentSpec(
        "file", .optional,
        help: "What to send. (default: the lesson's file of \(LessonDefaults.uploadBytes) bytes)")
    private static let url = ArgumentSpec(
        "url", .optional,
        help: "Where to send it; may stand alone. (default: \(LessonDefaults.uploadAddress))")
    private static let methodOption = OptionSpec.value(
        "method", "method", help: "The request's method, POST or PUT. (default: POST)")
    private static let nameOption = OptionSpec.value(
        "name", "name", help: "The transfer's name. (default: the file's name)")
    private static let waitOption = OptionSpec.value(
        "wait", "seconds",
        help: "Watch for so long before leaving. "
            + "(default: 0; for the lesson \(Int(LessonDefaults.watch)))")

    static let spec = CommandSpec(
        name: "upload",
        overview: "Start an upload and leave it to the service.",
        discussion: [
            "The file must stay where it is, unchanged, until the transfer has ended."
        ],
        example: "bgtool upload photo.jpg https://example.com/uploads --method PUT",
        arguments: [fileArgument, url],
        options: [methodOption, nameOption, SessionOption.spec, waitOption, HeaderOption.spec]
            + ConditionOptions.specs)

    init(_ parsed: ParsedArguments) throws(UsageError) {
        let first = try parsed.value(of: Self.fileArgument, as: FileArgument.self)?.path
        if let first, !parsed.has(Self.url), Self.looksLikeAddress(first) {
            file = nil
            address = try parsed.read(first, as: AddressArgument.self, for: Self.url.display).url
        } else {
            file = first
            address = try parsed.value(
                of: Self.url, as: AddressArgument.self, default: LessonDefaults.uploadAddress
            ).url
        }
        method = try parsed.value(of: Self.methodOption, as: UploadMethod.self) ?? .post
        name =
            try parsed.value(of: Self.nameOption, as: LabelArgument.self)?.text ?? Self.name(of: file)
        session = try SessionOption.read(parsed)
        wait =
            try parsed.value(of: Self.waitOption, as: SecondsArgument.self)?.seconds
            ?? (file == nil ? LessonDefaults.watch : 0)
        headers = try HeaderOption.read(parsed)
        conditions = try ConditionOptions(parsed)
    }

    /// `upload URL` sends the lesson's file there: nobody's file is called `http://…`.
    private static func looksLikeAddress(_ word: String) -> Bool {
        AddressArgument.schemes.contains { word.lowercased().hasPrefix($0 + "://") }
    }

    /// The file's last part; a name that would break a line of output gets the lesson's.
    private static func name(of file: String?) -> String {
        guard let last = file?.split(separator: "/").last.map(String.init),
            !last.hasControlCharacter
        else { return LessonDefaults.uploadName }
        return last
    }
}
