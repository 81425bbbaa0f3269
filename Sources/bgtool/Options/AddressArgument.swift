// An absolute http or https address, taken exactly as written: Foundation's
// habit of repairing addresses would break signed ones. It says what is wrong
// with a bad one and how to write it; it does not look the host up.

import Foundation

struct AddressArgument: ArgumentValue, Equatable {
    static let schemes = ["http", "https"]

    let url: URL

    init(argument: String) throws(InvalidValue) {
        try Self.checkCharacters(argument)
        try Self.checkScheme(argument)
        guard let url = URL(string: argument, encodingInvalidCharacters: false) else {
            throw InvalidValue(
                "its host or port cannot be read; write it as http://host:port/path, "
                    + "the port a number and [ ] only around an IPv6 address.")
        }
        guard let host = url.host(percentEncoded: true), !host.isEmpty else {
            throw InvalidValue("it names no host; write it as http://host/path.")
        }
        guard (1...65535).contains(url.port ?? 1) else {
            throw InvalidValue("there is no port \(url.port ?? 0); write one from 1 to 65535.")
        }
        self.url = url
    }

    /// Without user, password and query, however it is written: errors end up in logs and in questions to others.
    static func shown(_ argument: String) -> String {
        var shown = argument
        if let query = shown.firstIndex(where: { $0 == "?" || $0 == "#" }) {
            shown.replaceSubrange(shown.index(after: query)..., with: "…")
        }
        guard let start = shown.range(of: "://")?.upperBound else { return shown }
        let end = shown[start...].firstIndex { "/?#".contains($0) } ?? shown.endIndex
        guard let at = shown[start..<end].lastIndex(of: "@") else { return shown }
        return String(shown[..<start]) + "…" + shown[at...]
    }

    private static func checkCharacters(_ address: String) throws(InvalidValue) {
        guard !address.isEmpty else {
            throw InvalidValue("it is empty; write an address such as https://example.com/file.")
        }
        guard !address.contains(" ") else {
            throw InvalidValue("it contains a raw space; write each space as %20.")
        }
        guard !address.hasControlCharacter else {
            throw InvalidValue("it contains a line break or another control character; remove it.")
        }
        guard !hasStrayPercent(Array(address.utf8)) else {
            throw InvalidValue(
                "it contains a '%' without two hexadecimal digits after it; "
                    + "write a percent sign itself as %25.")
        }
        if let wrong = address.unicodeScalars.first(where: { !mayStand($0) }) {
            let encoded = String(wrong).utf8.map { String(format: "%%%02X", $0) }.joined()
            throw InvalidValue(
                "it contains \(String(wrong).quoted), which an address cannot hold; write it as "
                    + "\(encoded), or, in a host name, write that name in its xn-- form.")
        }
    }

    private static func checkScheme(_ address: String) throws(InvalidValue) {
        guard let end = address.range(of: "://") else {
            throw InvalidValue("it does not begin with http:// or https://; write the whole address.")
        }
        let scheme = String(address[..<end.lowerBound])
        guard schemes.contains(scheme.lowercased()) else {
            throw InvalidValue(
                "a transfer cannot use the scheme \(scheme.quoted); "
                    + "only http:// and https:// addresses can be used.")
        }
    }

    private static func hasStrayPercent(_ bytes: [UInt8]) -> Bool {
        let isHex = { (byte: UInt8) in Character(UnicodeScalar(byte)).isHexDigit }
        return bytes.indices.contains { i in
            guard bytes[i] == UInt8(ascii: "%") else { return false }
            return i + 2 >= bytes.count || !isHex(bytes[i + 1]) || !isHex(bytes[i + 2])
        }
    }

    /// The characters of RFC 3986, section 2.
    private static func mayStand(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9": true
        default: "-._~:/?#[]@!$&'()*+,;=%".unicodeScalars.contains(scalar)
        }
    }
}
