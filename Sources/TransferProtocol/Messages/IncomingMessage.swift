// A whole message in one pass over its text: the envelope, and the parameters as the type that its method names.
// Parameters that cannot be read are a failure of theirs alone, so that the message can still be answered.
import Foundation

public struct IncomingMessage: Sendable {
    public let envelope: MessageEnvelope
    /// Nil where the reader does not know the method.
    public let params: Result<any Sendable, any Error>?
    /// Of an answer that is a page: where the next one begins. Known before the page's contents are read, so that
    /// both ends need not take turns.
    public let next: Int64?
}

/// Reads lines for one side, which says first what it understands. Not for several threads at once while it learns.
public final class MessageReader: @unchecked Sendable {
    // Unchecked: `types` is filled before the first line is read.
    private let decoder: JSONDecoder
    private let methods = Methods()

    fileprivate final class Methods: @unchecked Sendable {
        // Unchecked: as above.
        var types: [String: any (Decodable & Sendable).Type] = [:]
    }

    public init() {
        decoder = JSONRPC.makeDecoder()
        decoder.userInfo[.methods] = methods
    }

    public func learn<Call: ServiceCall>(_ type: Call.Type) { methods.types[Call.method] = type }

    public func learn<Note: ServiceNotification>(_ type: Note.Type) { methods.types[Note.method] = type }

    /// - Throws: when it is no message at all.
    public func read(_ line: Data) throws -> IncomingMessage {
        try decoder.decode(Whole.self, from: line).message
    }
}

extension CodingUserInfoKey {
    /// Never nil: the initializer is failable for other kinds of keys.
    fileprivate static let methods = CodingUserInfoKey(rawValue: "methods").unsafelyUnwrapped
}

private struct Whole: Decodable {
    let message: IncomingMessage

    private enum Keys: String, CodingKey { case jsonrpc, id, method, error, params, result }
    private enum PageKeys: String, CodingKey { case next }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Keys.self)
        let method = try members.decodeIfPresent(String.self, forKey: .method)
        let envelope = MessageEnvelope(
            jsonrpc: try members.decodeIfPresent(String.self, forKey: .jsonrpc),
            id: try members.decodeIfPresent(MessageID.self, forKey: .id), method: method,
            error: try members.decodeIfPresent(RPCError.self, forKey: .error))
        let methods = decoder.userInfo[.methods] as? MessageReader.Methods
        let type = method.flatMap { methods?.types[$0] }
        message = IncomingMessage(
            envelope: envelope, params: type.map { type in Result { try Self.params(type, members) } },
            next: method == nil ? Self.next(members) : nil)
    }

    private static func next(_ members: KeyedDecodingContainer<Keys>) -> Int64? {
        let page = try? members.nestedContainer(keyedBy: PageKeys.self, forKey: .result)
        return try? page?.decodeIfPresent(Int64.self, forKey: .next)
    }

    /// Absent parameters are read as `{}`.
    private static func params<Params: Decodable & Sendable>(
        _ type: Params.Type, _ members: KeyedDecodingContainer<Keys>
    ) throws -> any Sendable {
        if let params = try members.decodeIfPresent(type, forKey: .params) { return params }
        return try JSONRPC.decoder.decode(type, from: Data("{}".utf8))
    }
}
