// One prepared statement: bind, step, read. It is reset by whoever stepped it (`Database`), and says
// nothing about errors beyond SQLite's code.
import CSQLite
import Foundation

final class Statement {
    private let handle: OpaquePointer

    /// Takes over a prepared statement and finalizes it in the end.
    init(owning handle: OpaquePointer) { self.handle = handle }

    deinit { sqlite3_finalize(handle) }

    func bind(_ values: [SQLValue]) -> Int32 {
        assert(values.count == sqlite3_bind_parameter_count(handle), "a value for each parameter")
        for (index, value) in values.enumerated() {
            let code = bind(value, at: Int32(index + 1))
            if code != SQLITE_OK { return code }
        }
        return SQLITE_OK
    }

    /// SQLITE_ROW, SQLITE_DONE or an error.
    func step() -> Int32 { sqlite3_step(handle) }

    /// Makes it ready for the next use and lets go of the values, which may be large.
    func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    var row: Row { Row(statement: handle) }

    private func bind(_ value: SQLValue, at index: Int32) -> Int32 {
        switch value {
        case .null: return sqlite3_bind_null(handle, index)
        case .integer(let number): return sqlite3_bind_int64(handle, index, number)
        case .real(let number): return sqlite3_bind_double(handle, index, number)
        case .text(var text): return text.withUTF8 { bindText(UnsafeRawBufferPointer($0), at: index) }
        case .json(let data): return data.withUnsafeBytes { bindText($0, at: index) }
        }
    }

    private func bindText(_ bytes: UnsafeRawBufferPointer, at index: Int32) -> Int32 {
        // A null pointer would bind NULL: an empty text needs an address too.
        guard let start = bytes.baseAddress, !bytes.isEmpty else {
            return csqlite_bind_text_copy(handle, index, "", 0)
        }
        guard let length = Int32(exactly: bytes.count) else { return SQLITE_TOOBIG }
        return csqlite_bind_text_copy(handle, index, start.assumingMemoryBound(to: CChar.self), length)
    }
}

/// The row a statement stands on. Valid only inside the closure that is given it.
struct Row {
    fileprivate let statement: OpaquePointer

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }
    func int(_ column: Int32) -> Int { Int(sqlite3_column_int64(statement, column)) }
    func real(_ column: Int32) -> Double { sqlite3_column_double(statement, column) }
    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }
    func data(_ column: Int32) -> Data { Data(bytes(column)) }
    func date(_ column: Int32) -> Date { Date(timeIntervalSince1970: real(column)) }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }
    func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }
    func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    /// The whole row by column name, every value as SQLite writes it as text.
    var asText: [String: String] {
        var values: [String: String] = [:]
        for column in 0..<sqlite3_column_count(statement) {
            guard let name = sqlite3_column_name(statement, column), let value = optionalText(column) else {
                continue
            }
            values[String(cString: name)] = value
        }
        return values
    }

    private func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        // SQLite asks for the pointer first, then the length.
        let start = sqlite3_column_text(statement, column)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
    }
}
