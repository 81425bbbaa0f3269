// One header field as it stands on the wire. A list of these keeps order and repetition, which a
// dictionary loses.

/// A header field: `name` in the spelling it was given, `value` without surrounding white space.
public struct HeaderField: Codable, Sendable, Equatable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

extension [HeaderField] {
    /// The value of the first field of that name (case-insensitive, RFC 9110 §5.1), or nil.
    public func first(_ name: String) -> String? {
        first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// Every value of that name, in order.
    public func all(_ name: String) -> [String] {
        filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }
}
