// In what a file differs from what was promised of it, and by whom. A value with a sentence.

public enum Mismatch: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Promiser: String, Sendable {
        case asker, server
    }

    /// In bytes.
    case length(promised: Int64, actual: Int64, by: Promiser)
    /// Both in lower-case hexadecimal.
    case digest(DigestAlgorithm, promised: String, actual: String, by: Promiser)

    public var description: String {
        switch self {
        case .length(let promised, let actual, let promiser):
            "it has \(actual) bytes and not \(promised)\(Self.source(promiser))"
        case .digest(let algorithm, let promised, let actual, let promiser):
            "its \(algorithm.rawValue.uppercased()) is \(actual) and not \(promised)\(Self.source(promiser))"
        }
    }

    private static func source(_ promiser: Promiser) -> String {
        promiser == .server ? ", which the server had said" : ""
    }
}
