// A value on its way into a statement.
import Foundation

/// What SQLite stores. Dates are seconds since 1970, so that they read well in a shell.
enum SQLValue {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    /// Encoded JSON, stored as text.
    case json(Data)

    init(_ number: Int64?) { self = number.map(SQLValue.integer) ?? .null }
    init(_ number: Int) { self = .integer(Int64(number)) }
    init(_ text: String?) { self = text.map(SQLValue.text) ?? .null }
    init(_ date: Date?) { self = date.map { .real($0.timeIntervalSince1970) } ?? .null }
}
