// The JSON columns. Keys are sorted, so that equal values are equal texts.
import Foundation
import TransferProtocol

enum StoreCoding {
    private static let encoder = PlainJSONEncoder(datesSince: .reference)
    private static let decoder = JSONDecoder()

    static func encode(
        _ value: some Encodable, _ attempt: String, path: String
    ) throws(StoreError) -> SQLValue {
        .json(try data(value, attempt, path: path))
    }

    static func data(
        _ value: some Encodable, _ attempt: String, path: String
    ) throws(StoreError) -> Data {
        do {
            return try encoder.encode(value)
        } catch {
            throw StoreError(.other, attempt, message: "not a value JSON can hold: \(error)", path: path)
        }
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ json: Data) -> Result<Value, Undecodable> {
        do {
            return .success(try decoder.decode(type, from: json))
        } catch {
            return .failure(Undecodable(reason: "\(error)"))
        }
    }
}

/// Why a row cannot be read.
struct Undecodable: Error {
    var reason: String
}
