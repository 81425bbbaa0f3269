// The file name a Content-Disposition header suggests, read by RFC 6266 and
// RFC 8187. It returns what the server wrote, decoded and unchecked: making a
// safe name of it is SuggestedFilename's work.

import Foundation

struct ContentDisposition {
    /// From `filename*`, which is meant to be preferred (RFC 6266, section 4.3);
    /// nil if absent or not decodable.
    let extendedName: String?
    /// From plain `filename`, quoted or a token.
    let plainName: String?

    init(_ header: String) {
        var parameters: [String: String] = [:]
        var scanner = HeaderScanner(header)
        scanner.skip { $0 != ";" }
        while scanner.take(";") {
            scanner.skipSpace()
            let name = scanner.prefix { $0 != "=" && $0 != ";" }
            guard scanner.take("=") else { continue }
            scanner.skipSpace()
            let value = scanner.quotedString() ?? scanner.prefix { $0 != ";" }
            scanner.skip { $0 != ";" }
            // The first of several is kept: later ones are what attackers add.
            let key = name.trimmingCharacters(in: .whitespaces).lowercased()
            if parameters[key] == nil { parameters[key] = value }
        }
        extendedName = parameters["filename*"].flatMap(Self.decode)
        plainName = parameters["filename"]?.trimmingCharacters(in: .whitespaces)
    }

    /// `charset'language'percent-encoded` (RFC 8187, section 3.2). UTF-8 is the one
    /// charset that rule allows; ISO-8859-1 was allowed by its predecessor, RFC 5987.
    private static func decode(_ value: String) -> String? {
        let parts = value.trimmingCharacters(in: .whitespaces).split(
            separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        switch parts[0].lowercased() {
        case "utf-8": return String(parts[2]).removingPercentEncoding
        case "iso-8859-1": return latin1(parts[2])
        default: return nil
        }
    }

    private static func latin1(_ encoded: Substring) -> String? {
        var text = ""
        var rest = encoded.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "%" else {
                text.unicodeScalars.append(scalar)
                continue
            }
            guard rest.count >= 2, let byte = UInt8(String(rest.prefix(2)), radix: 16) else { return nil }
            text.unicodeScalars.append(Unicode.Scalar(byte))
            rest = rest.dropFirst(2)
        }
        return text
    }
}
