// A name and a password for one transfer, and how they are to be used. libcurl does the rest. Values; their
// descriptions say nothing of the password, so that no log ever does.
import CCurl
import Foundation

public struct EngineCredential: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    public enum Scheme: String, Sendable, Equatable {
        case basic, digest, ntlm
    }

    public var user: String
    public var password: String
    public var scheme: Scheme

    public init(user: String, password: String, scheme: Scheme) {
        self.user = user
        self.password = password
        self.scheme = scheme
    }

    public var description: String { "credential of \(user) for \(scheme.rawValue)" }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }

    /// libcurl's bit for the scheme.
    var mask: Int {
        switch scheme {
        case .basic: 1 << 0
        case .digest: 1 << 1
        case .ntlm: 1 << 3
        }
    }
}

/// Who this client is, to a server that asks for a certificate.
public struct EngineIdentity: Sendable, Equatable {
    /// PEM, or PKCS #12 when the name ends in `.p12` or `.pfx`.
    public var certificateFile: String
    /// PEM; nil when the certificate's file holds the key.
    public var keyFile: String?
    public var password: String?

    public init(certificateFile: String, keyFile: String? = nil, password: String? = nil) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        self.password = password
    }

    var isPKCS12: Bool { [".p12", ".pfx"].contains { certificateFile.lowercased().hasSuffix($0) } }
}

/// The next request of a chain that was not followed.
public struct EngineRedirect: Sendable, Equatable {
    public var url: String
    public var method: String
    /// Without what does not go along to another origin.
    public var headers: [EngineHeader]
    public var sendsBody: Bool

    public init(url: String, method: String, headers: [EngineHeader], sendsBody: Bool) {
        self.url = url
        self.method = method
        self.headers = headers
        self.sendsBody = sendsBody
    }
}
