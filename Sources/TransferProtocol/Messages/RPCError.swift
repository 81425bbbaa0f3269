// Errors of calls (not of tasks): a number as JSON-RPC wants it, and a stable code of our own.

/// Why a call was refused.
public struct RPCError: Codable, Sendable, Equatable, Error {
    public var code: Int
    /// A sentence for a person.
    public var message: String
    public var data: Details?

    public struct Details: Codable, Sendable, Equatable {
        /// Stable; what programs compare.
        public var reason: Reason
        /// The process concerned: the owner of a session in use.
        public var pid: Int32?
        /// The version the service speaks.
        public var version: Int?

        public init(reason: Reason, pid: Int32? = nil, version: Int? = nil) {
            self.reason = reason
            self.pid = pid
            self.version = version
        }
    }

    /// A reason from a newer peer decodes like any other; compare, do not switch exhaustively.
    public struct Reason: RawRepresentable, Codable, Sendable, Equatable {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let sessionInUse = Reason(rawValue: "sessionInUse")
        public static let versionMismatch = Reason(rawValue: "versionMismatch")
        public static let notAttached = Reason(rawValue: "notAttached")
        public static let noSuchTask = Reason(rawValue: "noSuchTask")
        public static let invalidRequest = Reason(rawValue: "invalidRequest")
        public static let storeFailed = Reason(rawValue: "storeFailed")
        public static let leaving = Reason(rawValue: "leaving")
    }

    public init(code: Int, message: String, data: Details? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    /// Details of another shape (JSON-RPC leaves `data` to the server) are dropped: the error itself is heard.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        code = try container.decode(Int.self, forKey: .code)
        message = try container.decode(String.self, forKey: .message)
        data = try? container.decodeIfPresent(Details.self, forKey: .data)
    }

    public static func parse(_ message: String) -> RPCError { RPCError(code: -32700, message: message) }
    public static func invalidRequest(_ message: String) -> RPCError {
        RPCError(code: -32600, message: message, data: Details(reason: .invalidRequest))
    }
    public static func methodNotFound(_ method: String) -> RPCError {
        RPCError(code: -32601, message: "no method '\(method)'")
    }
    public static func invalidParams(_ message: String) -> RPCError {
        RPCError(code: -32602, message: message, data: Details(reason: .invalidRequest))
    }
    /// The service's own reasons share one number; `data.reason` tells them apart.
    public static func refused(
        _ reason: Reason, _ message: String, pid: Int32? = nil, version: Int? = nil
    ) -> RPCError {
        RPCError(
            code: -32000, message: message, data: Details(reason: reason, pid: pid, version: version))
    }
}
