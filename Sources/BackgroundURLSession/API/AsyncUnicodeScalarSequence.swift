// The Unicode scalars of an answer, as Foundation has them on Apple's platforms and not on Linux.

extension URLSession.AsyncBytes {
    /// The answer as UTF-8, scalar by scalar, as it comes. What is no UTF-8 is U+FFFD.
    public var unicodeScalars: AsyncUnicodeScalarSequence<Self> { AsyncUnicodeScalarSequence(base: self) }
}

/// The Unicode scalars in a sequence of bytes, read as UTF-8.
public struct AsyncUnicodeScalarSequence<Base: AsyncSequence>: AsyncSequence where Base.Element == UInt8 {
    public typealias Element = UnicodeScalar

    private let base: Base

    init(base: Base) { self.base = base }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(bytes: base.makeAsyncIterator()) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        private var bytes: Base.AsyncIterator
        /// Of the scalar that is being read; after one that was none, the byte that belongs to the next.
        private var held: [UInt8] = []
        private var hasEnded = false

        fileprivate init(bytes: Base.AsyncIterator) { self.bytes = bytes }

        public mutating func next() async throws -> UnicodeScalar? {
            repeat {
                if let scalar = take() { return scalar }
                guard !hasEnded, let byte = try await bytes.next() else {
                    hasEnded = true
                    continue
                }
                held.append(byte)
            } while !hasEnded || !held.isEmpty
            return nil
        }

        /// The next scalar once enough of it is held.
        private mutating func take() -> UnicodeScalar? {
            var rest = held.makeIterator()
            var decoder = Unicode.UTF8.ForwardParser()
            switch decoder.parseScalar(from: &rest) {
            case .emptyInput: return nil
            case .valid(let encoded):
                held.removeFirst(encoded.count)
                return Unicode.UTF8.decode(encoded)
            case .error(let length):
                // The beginning of a scalar is no error while more may come.
                guard hasEnded || length < held.count || !mayGoOn else { return nil }
                held.removeFirst(length)
                return "\u{FFFD}"
            }
        }

        /// Whether what is held, none of it wrong yet, lacks bytes at its end.
        private var mayGoOn: Bool {
            switch held.first {
            case .some(0xC2...0xDF): held.count < 2
            case .some(0xE0...0xEF): held.count < 3
            case .some(0xF0...0xF4): held.count < 4
            default: false
            }
        }
    }
}
