// What the server itself says the file's digest is: `Repr-Digest` (RFC 9530), or the older `Digest` (RFC
// 3230). Both speak of the whole file, also in the answer to a request for a part of it. `Content-Digest`
// speaks of one message's bytes and is of no use here. What cannot be read counts as not said.

import Foundation

struct ServerDigest: Equatable {
    let algorithm: DigestAlgorithm
    /// Lower-case hexadecimal.
    let hex: String

    /// The digest to hold the file to: of several, SHA-256, which the asker's own promise needs anyhow.
    init?(representation: String?, older: String?) {
        let said = Self.dictionary(representation) ?? Self.pairs(older)
        guard let said, let best = said.min(by: { $0.algorithm.length < $1.algorithm.length }) else {
            return nil
        }
        self = best
    }

    private init?(name: some StringProtocol, base64: some StringProtocol) {
        guard let algorithm = DigestAlgorithm(rawValue: name.lowercased()),
            let bytes = Data(base64Encoded: String(base64)), bytes.count == algorithm.length
        else { return nil }
        self.algorithm = algorithm
        hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// `sha-256=:base64:, sha-512=:base64:;p=1` (RFC 8941, section 3.2); nil if nothing of it is of use.
    private static func dictionary(_ field: String?) -> [ServerDigest]? {
        found(field) { name, value in
            let parts = value.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, parts[0].isEmpty else { return nil }
            return ServerDigest(name: name, base64: parts[1])
        }
    }

    /// `SHA-256=base64,SHA-512=base64` (RFC 3230, section 4.3.2).
    private static func pairs(_ field: String?) -> [ServerDigest]? {
        found(field) { ServerDigest(name: $0, base64: $1) }
    }

    private static func found(
        _ field: String?, _ read: (Substring, String) -> ServerDigest?
    ) -> [ServerDigest]? {
        let all = (field ?? "").split(separator: ",").compactMap { member -> ServerDigest? in
            guard let equals = member.firstIndex(of: "=") else { return nil }
            let name = member[..<equals].drop { $0 == " " || $0 == "\t" }
            let value = member[member.index(after: equals)...].trimmingCharacters(in: .whitespaces)
            return read(name, value)
        }
        return all.isEmpty ? nil : all
    }
}
