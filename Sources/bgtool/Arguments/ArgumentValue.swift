// A type that can be read from one word of a command line. It judges that word
// alone: it does not know which option it stands for and touches no file.

protocol ArgumentValue: Sendable {
    init(argument: String) throws(InvalidValue)

    /// The word as an error may show it: without what may be a secret.
    static func shown(_ argument: String) -> String
}

extension ArgumentValue {
    static func shown(_ argument: String) -> String { argument }
}

/// Why a word is not such a value, and what to write instead: a clause that
/// follows "The value 'x' is invalid for '--y <y>': ".
struct InvalidValue: Error, Equatable {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
