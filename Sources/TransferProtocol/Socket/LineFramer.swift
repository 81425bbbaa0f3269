// Cuts a byte stream into lines. A value: it holds the unfinished line and nothing else.
import Foundation

/// A line grew beyond what the connection allows. The framer is of no use after it.
public struct LineTooLong: Error, Equatable {
    public var limit: Int
    /// The whole lines that came before it with the same bytes. They count: how the stream was cut into reads
    /// must not decide what is heard.
    public var before: [Data] = []
}

/// Collects bytes and gives back whole lines, without their newline; empty lines are skipped.
public struct LineFramer: Sendable {
    private var unfinished = Data()
    private let limit: Int

    /// - Parameter limit: the longest line in bytes, newline not counted.
    public init(limit: Int) { self.limit = limit }

    /// Whether the stream stands in the middle of a line.
    public var holdsHalfALine: Bool { !unfinished.isEmpty }

    /// Bytes of the line that is not finished.
    public var unfinishedCount: Int { unfinished.count }

    /// Takes the next bytes and returns the lines they complete.
    public mutating func take(_ bytes: UnsafeRawBufferPointer) throws(LineTooLong) -> [Data] {
        var lines: [Data] = []
        var rest = bytes
        while let start = rest.baseAddress, let newline = memchr(start, 0x0A, rest.count) {
            let length = UnsafeRawPointer(newline) - start
            try append(UnsafeRawBufferPointer(rebasing: rest[..<length]), after: lines)
            if !unfinished.isEmpty { lines.append(unfinished) }
            unfinished = Data()
            rest = UnsafeRawBufferPointer(rebasing: rest[(length + 1)...])
        }
        try append(rest, after: lines)
        return lines
    }

    private mutating func append(
        _ piece: UnsafeRawBufferPointer, after lines: [Data]
    ) throws(LineTooLong) {
        guard unfinished.count + piece.count <= limit else { throw LineTooLong(limit: limit, before: lines) }
        unfinished.append(contentsOf: piece)
    }
}
