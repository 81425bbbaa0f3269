// Cuts a byte stream into lines. A value: it holds the unfinished line and nothing else.
import Foundation

/// A line grew beyond what the connection allows.
public struct LineTooLong: Error, Equatable {
    public var limit: Int
}

/// Collects bytes and gives back whole lines, without their newline; empty lines are skipped.
public struct LineFramer: Sendable {
    private var unfinished = Data()
    private let limit: Int

    /// - Parameter limit: the longest line in bytes, newline not counted.
    public init(limit: Int) { self.limit = limit }

    /// Whether the stream stands in the middle of a line.
    public var holdsHalfALine: Bool { !unfinished.isEmpty }

    /// Takes the next bytes and returns the lines they complete.
    public mutating func take(_ bytes: UnsafeRawBufferPointer) throws(LineTooLong) -> [Data] {
        var lines: [Data] = []
        var rest = bytes[...]
        while let newline = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let piece = rest[rest.startIndex..<newline]
            guard unfinished.count + piece.count <= limit else { throw LineTooLong(limit: limit) }
            unfinished.append(contentsOf: piece)
            if !unfinished.isEmpty { lines.append(unfinished) }
            unfinished = Data()
            rest = rest[(newline + 1)...]
        }
        guard unfinished.count + rest.count <= limit else { throw LineTooLong(limit: limit) }
        unfinished.append(contentsOf: rest)
        return lines
    }
}
