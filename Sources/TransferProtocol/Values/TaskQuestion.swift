// What the service asks a session's owner about a task, and what the owner may answer. Nothing of an answer
// that holds a password is ever written down by the service.
import Foundation

/// A question that a task waits for. Only kinds that the session's configuration names in `answers` come.
public enum TaskQuestion: Codable, Sendable, Equatable {
    /// A server or a proxy wants to know who asks.
    case challenge(ChallengeRecord)
    /// The answer is a redirect; `request` is what following it would ask.
    case redirect(response: ResponseRecord, request: RequestRecord)

    private enum CodingKeys: String, CodingKey { case challenge, redirect }

    private struct Redirect: Codable {
        var response: ResponseRecord
        var request: RequestRecord
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let challenge = try container.decodeIfPresent(ChallengeRecord.self, forKey: .challenge) {
            self = .challenge(challenge)
        } else {
            let redirect = try container.decode(Redirect.self, forKey: .redirect)
            self = .redirect(response: redirect.response, request: redirect.request)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .challenge(let challenge): try container.encode(challenge, forKey: .challenge)
        case .redirect(let response, let request):
            try container.encode(Redirect(response: response, request: request), forKey: .redirect)
        }
    }
}

/// The kinds of questions, as a configuration names them.
public enum QuestionKind: String, Codable, Sendable, CaseIterable {
    case challenge, redirect
}

/// What a server's 401 or a proxy's 407 asks for (RFC 9110 §11).
public struct ChallengeRecord: Codable, Sendable, Equatable {
    /// `basic`, `digest` or `ntlm`; one of a newer service is passed on as it is.
    public var scheme: String
    public var realm: String?
    public var host: String
    public var port: Int
    /// `http` or `https`.
    public var transport: String
    public var isProxy: Bool
    /// How often what the owner answered was not accepted.
    public var failures: Int
    /// The head that asked; nil when a proxy refused to connect.
    public var response: ResponseRecord?

    public init(
        scheme: String, realm: String?, host: String, port: Int, transport: String, isProxy: Bool = false,
        failures: Int = 0, response: ResponseRecord? = nil
    ) {
        self.scheme = scheme
        self.realm = realm
        self.host = host
        self.port = port
        self.transport = transport
        self.isProxy = isProxy
        self.failures = failures
        self.response = response
    }
}

public enum TaskAnswer: Codable, Sendable, Equatable {
    /// The request is made again with these. `remembers`: for other tasks of the session too, as long as the
    /// service lives.
    case credential(user: String, password: String, remembers: Bool)
    /// What was answered is delivered as it is: the 401, or the redirect.
    case deliver
    /// Another of the ways that the server offered, if there is one; otherwise as `deliver`.
    case reject
    /// The task ends with -999, or with the error that a refused challenge has.
    case cancel
    /// This is asked next.
    case follow(request: RequestRecord)
}
