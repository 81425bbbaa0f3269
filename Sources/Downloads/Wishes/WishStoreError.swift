// Why the store did not do what it was asked; and the report of a record that
// could not be read, which is no error of the operation that met it.

import Glibc

public enum WishStoreError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Another pending wish will write the same file.
    case destinationTaken(by: Wish)
    /// The name is in use for another address or method.
    case differentAddress(existing: Wish)
    /// A change tried to give a record another session or name.
    case keyChanged(session: String, name: String)
    /// `attempted` follows "cannot ", e.g. "lock /tmp/x".
    case unavailable(errno: Int32, attempted: String)
    /// libcrypto refuses the digest that names a record's file.
    case noDigest(FileDigestError)

    public var description: String {
        switch self {
        case .destinationTaken(let other):
            "The transfer '\(other.name)' of session \(other.session) is going to write that file. "
                + "Name another file, or cancel that transfer."
        case .differentAddress(let existing):
            "The name '\(existing.name)' stands for another transfer already. Choose another name."
        case .keyChanged(let session, let name):
            "The record of '\(name)' in session \(session) cannot be given another key. "
                + "Remove it and save a new one."
        case .unavailable(let code, let attempted):
            "Cannot \(attempted): \(String(cString: strerror(code))). "
                + "What transfers are for is kept there: mend that and try again."
        case .noDigest(let error):
            error.description
        }
    }

    init(_ failure: SystemFailure) {
        self = .unavailable(errno: failure.code, attempted: failure.attempt)
    }
}

/// A record that does not decode. It is kept under another name and no longer counts.
public struct DamagedWish: Sendable, Equatable, CustomStringConvertible {
    /// Where the unreadable bytes are now.
    public let setAside: String
    public let reason: String

    public var description: String {
        "A record of a transfer's destination cannot be read (\(reason)). It is kept as \(setAside); "
            + "start that transfer again to give it a destination."
    }
}
