// From a line to its handler. It reads the envelope, answers what cannot be understood, and lets nobody
// speak before `hello`.
import Foundation
import TransferProtocol
import TransferStore

/// A call's answer, given once: now, or later when the handler keeps it.
@TransferActor
final class Answer<Result: Encodable> {
    private let connection: Connection
    private let id: MessageID
    private let turn: Turn

    init(_ connection: Connection, _ id: MessageID, _ turn: Turn) {
        self.connection = connection
        self.id = id
        self.turn = turn
    }

    /// Sent when everything written so far is on disk.
    func succeed(_ result: Result) {
        turn.afterCommit {
            self.connection.reply(result, to: self.id)
        } failed: { error in
            self.fail(Router.refusal(of: error))
        }
    }

    func fail(_ error: RPCError) { connection.fail(error, to: id) }
}

@TransferActor
final class Router {
    private let turn: Turn
    private let reader = MessageReader()
    private var calls: [String: (Connection, MessageID, IncomingMessage) throws -> Void] = [:]
    private var notifications: [String: (Connection, IncomingMessage) throws -> Void] = [:]
    private var needsNoHello: Set<String> = [Hello.method, Shutdown.method]

    init(turn: Turn) { self.turn = turn }

    func on<Call: ServiceCall>(
        _ type: Call.Type, _ handle: @escaping (Call, Connection, Answer<Call.Result>) throws -> Void
    ) {
        reader.learn(type)
        calls[Call.method] = { [turn] connection, id, message in
            let call = try Self.params(type, of: message)
            try handle(call, connection, Answer(connection, id, turn))
        }
    }

    func on<Note: ServiceNotification>(
        _ type: Note.Type, _ handle: @escaping (Note, Connection) throws -> Void
    ) {
        reader.learn(type)
        notifications[Note.method] = { connection, message in
            try handle(try Self.params(type, of: message), connection)
        }
    }

    func route(_ connection: Connection, _ line: Data) {
        guard let message = try? reader.read(line) else {
            connection.fail(.parse("this line is not a JSON-RPC message; this connection ends"), to: nil)
            return connection.end()
        }
        let envelope = message.envelope
        guard let method = envelope.method, envelope.jsonrpc == "2.0" else {
            return connection.fail(
                .invalidRequest("a message needs \"jsonrpc\": \"2.0\" and a method"), to: envelope.id)
        }
        guard connection.client != nil || needsNoHello.contains(method) else {
            return connection.fail(.invalidRequest("say hello first"), to: envelope.id)
        }
        do {
            if let id = envelope.id {
                guard let call = calls[method] else { throw RPCError.methodNotFound(method) }
                try call(connection, id, message)
            } else {
                // An unknown notification of a newer client is passed over (JSON-RPC 2.0 §4.1).
                try notifications[method]?(connection, message)
            }
        } catch let error as RPCError {
            if let id = envelope.id { connection.fail(error, to: id) }
        } catch let error as StoreError {
            ServiceLog.note("\(method): \(error)")
            if let id = envelope.id { connection.fail(Self.refusal(of: error), to: id) }
        } catch {
            if let id = envelope.id { connection.fail(.invalidParams("\(method): \(error)"), to: id) }
        }
    }

    static func refusal(of error: StoreError) -> RPCError {
        .refused(.storeFailed, "the service could not write to its database: \(error)")
    }

    private static func params<Params: Sendable>(_ type: Params.Type, of message: IncomingMessage) throws
        -> Params
    {
        switch message.params {
        case .success(let params as Params)?: return params
        case .failure(let error)?:
            throw RPCError.invalidParams("the parameters are not those of this method: \(error)")
        case .success?, nil: throw RPCError.methodNotFound(message.envelope.method ?? "")
        }
    }
}
