// The ways of authentication that a 401 or 407 offers (RFC 9110 §11.6.1). Pure; only what a question needs:
// libcurl reads the rest, and does what is to be done.
import Foundation

struct AuthenticationOffer: Equatable, Sendable {
    /// In small letters.
    var scheme: String
    var realm: String?

    /// What this service can do, the strongest first.
    private static let known = ["digest", "ntlm", "basic"]

    /// Those of the given fields that can be answered, the strongest first, each scheme once.
    static func usable(_ fields: [String]) -> [AuthenticationOffer] {
        let all = fields.flatMap(read)
        return known.compactMap { scheme in all.first { $0.scheme == scheme } }
    }

    /// Every offer in one field, in its order.
    static func read(_ field: String) -> [AuthenticationOffer] {
        var offers: [AuthenticationOffer] = []
        var scanner = Scanner(field)
        while let word = scanner.word() {
            // A word with "=" behind it belongs to the offer before; any other begins an offer.
            guard scanner.takes("=") else {
                offers.append(AuthenticationOffer(scheme: word.lowercased()))
                continue
            }
            let value = scanner.value()
            if word.lowercased() == "realm", let last = offers.indices.last, offers[last].realm == nil {
                offers[last].realm = value
            }
        }
        return offers
    }

    private struct Scanner {
        private var rest: Substring.UnicodeScalarView

        init(_ text: String) { rest = Substring(text).unicodeScalars }

        private static let ends: Set<Unicode.Scalar> = [" ", "\t", ",", "=", "\""]

        /// The next word, past white space, commas and whatever cannot begin one.
        mutating func word() -> String? {
            rest = rest.drop { Self.ends.contains($0) }
            let word = rest.prefix { !Self.ends.contains($0) }
            rest = rest[word.endIndex...]
            return word.isEmpty ? nil : String(word)
        }

        mutating func takes(_ scalar: Unicode.Scalar) -> Bool {
            let after = rest.drop { $0 == " " || $0 == "\t" }
            guard after.first == scalar else { return false }
            rest = after.dropFirst()
            return true
        }

        /// A word, or what stands between quotes.
        mutating func value() -> String {
            rest = rest.drop { $0 == " " || $0 == "\t" }
            guard rest.first == "\"" else {
                let word = rest.prefix { $0 != "," && $0 != " " }
                rest = rest[word.endIndex...]
                return String(word)
            }
            rest = rest.dropFirst()
            var text = String.UnicodeScalarView()
            while let scalar = rest.popFirst(), scalar != "\"" {
                // A backslash takes the next one as it is (RFC 9110 §5.6.4).
                text.append(scalar == "\\" ? rest.popFirst() ?? scalar : scalar)
            }
            return String(text)
        }
    }
}
