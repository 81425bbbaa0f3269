// A name that people and lines of output use: a transfer's, a session's. It
// may hold spaces, but nothing that would break one event a line.

struct LabelArgument: ArgumentValue, Equatable {
    let text: String

    init(argument: String) throws(InvalidValue) {
        guard !argument.isEmpty else {
            throw InvalidValue("it is empty; write at least one character.")
        }
        guard !argument.hasControlCharacter else {
            throw InvalidValue("it contains a line break or another control character; remove it.")
        }
        text = argument
    }
}

extension String {
    /// Controls of ASCII and Latin-1, and Unicode's own line and paragraph separators.
    var hasControlCharacter: Bool {
        unicodeScalars.contains {
            switch $0.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: true
            default: false
            }
        }
    }
}
