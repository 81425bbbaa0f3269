// The characters of an answer, as Foundation has them on Apple's platforms and not on Linux.

extension URLSession.AsyncBytes {
    /// The answer as UTF-8, character by character. Each comes when the one behind it has begun, since what
    /// follows may belong to it.
    public var characters: AsyncCharacterSequence<Self> { AsyncCharacterSequence(base: self) }
}

/// The characters (extended grapheme clusters) in a sequence of bytes, read as UTF-8.
public struct AsyncCharacterSequence<Base: AsyncSequence>: AsyncSequence where Base.Element == UInt8 {
    public typealias Element = Character

    private let base: Base

    init(base: Base) { self.base = base }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(scalars: AsyncUnicodeScalarSequence(base: base).makeAsyncIterator())
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        private var scalars: AsyncUnicodeScalarSequence<Base>.AsyncIterator
        /// The character that is being read.
        private var held = ""

        fileprivate init(scalars: AsyncUnicodeScalarSequence<Base>.AsyncIterator) { self.scalars = scalars }

        public mutating func next() async throws -> Character? {
            while let scalar = try await scalars.next() {
                held.unicodeScalars.append(scalar)
                if held.count > 1 { return held.removeFirst() }
            }
            return held.popFirst()
        }
    }
}

extension String {
    fileprivate mutating func popFirst() -> Character? { isEmpty ? nil : removeFirst() }
}
