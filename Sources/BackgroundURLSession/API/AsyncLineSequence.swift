// The lines of an answer, as Foundation has them on Apple's platforms and not on Linux.

extension URLSession.AsyncBytes {
    /// The answer's lines as UTF-8, as they come. Empty lines are left out, as on Apple's platforms.
    public var lines: AsyncLineSequence<Self> { AsyncLineSequence(base: self) }
}

/// The lines in a sequence of bytes: what stands between line ends (LF, CR, CRLF, VT, FF, NEL, U+2028, U+2029).
public struct AsyncLineSequence<Base: AsyncSequence>: AsyncSequence where Base.Element == UInt8 {
    public typealias Element = String

    private let base: Base

    init(base: Base) { self.base = base }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(bytes: base.makeAsyncIterator()) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        private var bytes: Base.AsyncIterator
        private var line: [UInt8] = []

        fileprivate init(bytes: Base.AsyncIterator) { self.bytes = bytes }

        /// The next line that is not empty; what stands after the last line end is a line too.
        public mutating func next() async throws -> String? {
            while let byte = try await bytes.next() {
                line.append(byte)
                guard let length = endLength, length > 0 else { continue }
                line.removeLast(length)
                if !line.isEmpty { return take() }
            }
            return line.isEmpty ? nil : take()
        }

        private mutating func take() -> String {
            defer { line.removeAll(keepingCapacity: true) }
            return String(decoding: line, as: UTF8.self)
        }

        /// How many bytes at the end of `line` are a line end; nil when there are none.
        private var endLength: Int? {
            switch line.last {
            case 0x0A, 0x0B, 0x0C, 0x0D: 1
            case 0x85 where line.suffix(2) == [0xC2, 0x85]: 2
            case 0xA8 where line.suffix(3) == [0xE2, 0x80, 0xA8]: 3
            case 0xA9 where line.suffix(3) == [0xE2, 0x80, 0xA9]: 3
            default: nil
            }
        }
    }
}
