// One header field for a request, written `Name: value` (RFC 9110, section 5).
// It does not know which fields a background session reserves for itself.

struct HeaderArgument: ArgumentValue, Equatable {
    let name: String
    let value: String

    init(argument: String) throws(InvalidValue) {
        guard let colon = argument.firstIndex(of: ":") else {
            throw InvalidValue("it has no colon; write it as 'Name: value'.")
        }
        let name = String(argument[..<colon])
        guard !name.isEmpty else {
            throw InvalidValue("nothing stands before the colon; write it as 'Name: value'.")
        }
        if let wrong = name.unicodeScalars.first(where: { !Self.isTokenCharacter($0) }) {
            throw InvalidValue(
                "a field name cannot contain \(String(wrong).quoted); "
                    + "use letters, digits and hyphens before the colon.")
        }
        let value = argument[argument.index(after: colon)...]
        // Scalars, not characters: CR LF together are one Character.
        guard !value.unicodeScalars.contains(where: Self.isForbidden) else {
            throw InvalidValue(
                "a field value cannot contain a line break or another control character; remove it.")
        }
        self.name = name
        self.value = Self.trimmed(value)
    }

    /// The value may be a credential.
    static func shown(_ argument: String) -> String {
        guard let end = argument.firstIndex(where: { $0 == ":" || $0 == " " }) else { return argument }
        return argument[...end] + (argument.index(after: end) == argument.endIndex ? "" : "…")
    }

    /// `tchar` of RFC 9110, section 5.6.2.
    private static func isTokenCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9": true
        default: "!#$%&'*+-.^_`|~".unicodeScalars.contains(scalar)
        }
    }

    /// A tab may stand inside a value; no other control character may.
    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control && scalar != "\t"
    }

    /// Space around a value is no part of it (section 5.5).
    private static func trimmed(_ value: Substring) -> String {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        let start = value.drop(while: isSpace)
        let end = start.lastIndex { !isSpace($0) }
        return end.map { String(start[...$0]) } ?? ""
    }
}
