// The SHA-256 that a file is expected to have: 64 hexadecimal digits, as
// sha256sum prints them. It computes nothing.

struct SHA256Argument: ArgumentValue, Equatable {
    static let digits = 64

    /// In lower case, so that it can be compared as text.
    let hex: String

    init(argument: String) throws(InvalidValue) {
        guard argument.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }) else {
            throw InvalidValue("it contains something other than the digits 0-9 and a-f; remove it.")
        }
        guard argument.utf8.count == Self.digits else {
            throw InvalidValue(
                "a SHA-256 has \(Self.digits) hexadecimal digits, this has \(argument.utf8.count); "
                    + "copy the whole of it.")
        }
        hex = argument.lowercased()
    }
}
