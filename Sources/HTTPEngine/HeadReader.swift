// Puts an answer's head together from its lines. A pure value: it knows no curl and decides nothing.
import Foundation

struct HeadReader {
    struct Block: Equatable {
        var version: String
        var status: Int
        var headers: [EngineHeader]

        /// The addresses that a redirect names; usually one.
        var redirectTargets: [String] {
            guard HeadReader.isRedirect(status) else { return [] }
            return headers.filter { $0.name.lowercased() == "location" && !$0.value.isEmpty }.map(\.value)
        }
    }

    /// A head larger than this is an attack or a mistake.
    static let limit = 1 << 20

    /// libcurl alone would follow any 3xx that names an address, a 304 too.
    static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

    private var block: Block?
    private var size = 0
    private(set) var isTooLarge = false

    /// Of the head whose lines are coming in.
    var status: Int? { block?.status }

    /// Takes one line with its line end. Returns the head at its blank line. Lines outside a head, such as
    /// a chunked body's trailers, are passed over.
    mutating func take(_ bytes: UnsafeRawBufferPointer) -> Block? {
        let line = Self.text(Self.withoutLineEnd(bytes))
        if let started = Self.statusLine(line) {
            block = started
            size = 0
            return nil
        }
        size += bytes.count
        if size > Self.limit { isTooLarge = true }
        guard block != nil, !isTooLarge else { return nil }
        if line.isEmpty {
            defer { block = nil }
            return block
        }
        add(line)
        return nil
    }

    private mutating func add(_ line: String) {
        if line.first == " " || line.first == "\t" {
            // A folded line goes on with the value before it (RFC 9112 §5.2).
            guard let last = block?.headers.indices.last else { return }
            let value = (block?.headers[last].value ?? "") + " " + line.trimmingCharacters(in: .whitespaces)
            block?.headers[last].value = value.trimmingCharacters(in: .whitespaces)
            return
        }
        guard let colon = line.firstIndex(of: ":") else { return }
        block?.headers.append(
            EngineHeader(
                name: String(line[..<colon]).trimmingCharacters(in: .whitespaces),
                value: String(line[line.index(after: colon)...]).trimmingCharacters(in: .whitespaces)))
    }

    private static func statusLine(_ line: String) -> Block? {
        guard line.hasPrefix("HTTP/") else { return nil }
        let parts = line.split(separator: " ", maxSplits: 2)
        // Three digits (RFC 9112 §4): `Int` alone would read "+200" and "-1".
        guard parts.count >= 2, let status = Int(parts[1]), (100...999).contains(status),
            parts[1].utf8.count == 3
        else { return nil }
        return Block(version: String(parts[0]), status: status, headers: [])
    }

    private static func withoutLineEnd(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var count = bytes.count
        while count > 0, bytes[count - 1] == 0x0A || bytes[count - 1] == 0x0D { count -= 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[..<count])
    }

    /// UTF-8 where it is, else Latin-1, which never fails.
    private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
