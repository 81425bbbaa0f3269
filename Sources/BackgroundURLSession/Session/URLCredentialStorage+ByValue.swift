// FoundationNetworking's storage knows a protection space again only by its identity; an app that stores a
// credential ahead of time makes one of its own, so that here they are compared by what they say.
import Foundation
import FoundationNetworking

extension URLCredentialStorage {
    /// What default handling uses there.
    func known(for space: URLProtectionSpace) -> URLCredential? {
        guard let stored = stored(space) else { return nil }
        return defaultCredential(for: stored) ?? credentials(for: stored)?.values.first
    }

    /// From now on that is what default handling uses there.
    func keep(_ credential: URLCredential, for space: URLProtectionSpace) {
        setDefaultCredential(credential, for: stored(space) ?? space)
    }

    /// Nothing is left.
    func removeAll() {
        for (space, known) in allCredentials {
            for credential in known.values { remove(credential, for: space) }
        }
    }

    private func stored(_ space: URLProtectionSpace) -> URLProtectionSpace? {
        allCredentials.keys.first { $0.says == space.says }
    }
}

extension URLProtectionSpace {
    fileprivate var says: [String] {
        [
            host, "\(port)", (isProxy() ? proxyType : self.protocol) ?? "", realm ?? "", authenticationMethod,
            "\(isProxy())",
        ]
    }
}
