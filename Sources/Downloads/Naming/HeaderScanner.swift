// Reads a structured header field from left to right (RFC 9110, section 5.6).
// A cursor over text; it knows no field by name.

struct HeaderScanner {
    private var rest: Substring.UnicodeScalarView

    init(_ text: String) {
        rest = text[...].unicodeScalars
    }

    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard rest.first == scalar else { return false }
        rest.removeFirst()
        return true
    }

    mutating func skip(while matches: (Unicode.Scalar) -> Bool) {
        rest = rest.drop(while: matches)
    }

    mutating func skipSpace() {
        skip { $0 == " " || $0 == "\t" }
    }

    mutating func prefix(while matches: (Unicode.Scalar) -> Bool) -> String {
        let found = rest.prefix(while: matches)
        rest = rest[found.endIndex...]
        return String(found)
    }

    /// The text between double quotes with its backslash pairs resolved, or nil
    /// where no quoted string begins. A missing closing quote ends at the end.
    mutating func quotedString() -> String? {
        guard take("\"") else { return nil }
        var text = String.UnicodeScalarView()
        while let scalar = rest.popFirst(), scalar != "\"" {
            text.append(scalar == "\\" ? rest.popFirst() ?? "\\" : scalar)
        }
        return String(text)
    }
}
