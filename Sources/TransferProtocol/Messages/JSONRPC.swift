// JSON-RPC 2.0, one message a line: encoding, and decoding in two steps (the envelope first, so that a
// message can be answered even when its parameters cannot be read). No sockets here.
import Foundation

/// A request's `id`: a number or a string (JSON-RPC 2.0 §4).
public enum MessageID: Codable, Sendable, Hashable {
    case number(Int)
    case string(String)

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int.self) {
            self = .number(number)
        } else {
            self = .string(try container.decode(String.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number): try container.encode(number)
        case .string(let string): try container.encode(string)
        }
    }
}

/// What can be said of any message before its contents are understood.
public struct MessageEnvelope: Decodable, Sendable {
    public var jsonrpc: String?
    public var id: MessageID?
    public var method: String?
    public var error: RPCError?

    public init(line: Data) throws {
        self = try JSONRPC.decoder.decode(MessageEnvelope.self, from: line)
    }

    init(jsonrpc: String?, id: MessageID?, method: String?, error: RPCError?) {
        self.jsonrpc = jsonrpc
        self.id = id
        self.method = method
        self.error = error
    }
}

/// Parameters of calls and notifications that carry none.
public struct NoContent: Codable, Sendable, Equatable {
    public init() {}
}

/// Lines in and out. Every encoded line ends with its newline.
public enum JSONRPC {
    static let encoder = PlainJSONEncoder(datesSince: .unix)
    static let decoder = makeDecoder()

    static func makeDecoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        return decoder
    }

    private struct Request<Params: Encodable>: Encodable {
        var jsonrpc = "2.0"
        var id: MessageID?
        var method: String
        var params: Params
    }

    private struct Reply<Result: Encodable>: Encodable {
        var jsonrpc = "2.0"
        var id: MessageID?
        var result: Result
    }

    private struct Failure: Encodable {
        var jsonrpc = "2.0"
        var id: MessageID?
        var error: RPCError

        enum CodingKeys: String, CodingKey { case jsonrpc, id, error }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(jsonrpc, forKey: .jsonrpc)
            // Null, and not absent, when the id could not be read (JSON-RPC 2.0 §5).
            if let id { try container.encode(id, forKey: .id) } else { try container.encodeNil(forKey: .id) }
            try container.encode(error, forKey: .error)
        }
    }

    private struct ParamsOnly<Params: Decodable>: Decodable { var params: Params? }
    private struct ResultOnly<Result: Decodable>: Decodable { var result: Result }

    public static func request<Call: ServiceCall>(_ call: Call, id: MessageID) throws -> Data {
        try line(Request(id: id, method: Call.method, params: call))
    }

    public static func notification<Note: ServiceNotification>(_ note: Note) throws -> Data {
        try line(Request(id: nil, method: Note.method, params: note))
    }

    public static func reply<Result: Encodable>(_ result: Result, to id: MessageID) throws -> Data {
        try line(Reply(id: id, result: result))
    }

    /// The commonest of all answers: what was asked is done, and there is nothing more to say.
    public static func done(_ id: MessageID) throws -> Data {
        guard case .number(let number) = id else { return try reply(NoContent(), to: id) }
        return Data((#"{"id":\#(number),"jsonrpc":"2.0","result":{}}"# + "\n").utf8)
    }

    public static func failure(_ error: RPCError, to id: MessageID?) throws -> Data {
        try line(Failure(id: id, error: error))
    }

    /// The parameters of a message whose method is known. Absent parameters are read as `{}`.
    public static func params<Params: Decodable>(_ type: Params.Type, in line: Data) throws -> Params {
        if let params = try decoder.decode(ParamsOnly<Params>.self, from: line).params { return params }
        return try decoder.decode(Params.self, from: Data("{}".utf8))
    }

    public static func result<Result: Decodable>(_ type: Result.Type, in line: Data) throws -> Result {
        // The commonest: that there is an answer is all it says.
        if Result.self == NoContent.self, let nothing = NoContent() as? Result { return nothing }
        return try decoder.decode(ResultOnly<Result>.self, from: line).result
    }

    private static func line<Message: Encodable>(_ message: Message) throws -> Data {
        var data = try encoder.encode(message)
        data.append(UInt8(ascii: "\n"))
        return data
    }
}
