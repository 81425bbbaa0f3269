// What one transfer does with cookies. libcurl's cookie engine applies every rule of theirs; this only says
// whose cookies they are.
import Foundation

public struct EngineCookies: Sendable, Equatable {
    public enum Acceptance: Sendable, Equatable {
        case always
        case never
        /// Those of a host that is the main document's, or its domain.
        case fromHostOf(String)
    }

    /// The jar's file, 0600; transfers of one jar share what they are given. nil: nothing outlives this
    /// transfer.
    public var jar: String?
    /// The jar's file is never written: only its name counts.
    public var isInMemory = false
    /// Cookies to send besides the jar's, a line each in Netscape's format.
    public var given: [String]
    /// Whether the jar's are sent; they are kept all the same.
    public var sends: Bool
    public var accepts: Acceptance

    public init(jar: String?, given: [String] = [], sends: Bool = true, accepts: Acceptance = .always) {
        self.jar = jar
        self.given = given
        self.sends = sends
        self.accepts = accepts
    }

    func accepts(from url: String) -> Bool {
        switch accepts {
        case .always: return true
        case .never: return false
        case .fromHostOf(let main):
            // As Foundation decides it: the answering host is the document's, or ends it.
            guard let host = Origin(url)?.host else { return false }
            return main.lowercased() == host || main.lowercased().hasSuffix("." + host)
        }
    }
}

/// What a transfer changed about cookies: lines in Netscape's format.
public struct CookieChanges: Sendable, Equatable {
    public var added: [String] = []
    public var removed: [String] = []

    public init() {}

    public var isEmpty: Bool { added.isEmpty && removed.isEmpty }
}
