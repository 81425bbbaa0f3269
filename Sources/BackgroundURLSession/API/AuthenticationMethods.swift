// Names of authentication methods that FoundationNetworking lacks, and the calls of its credential storage
// that speak of a task, for this module's tasks.
import Foundation
import FoundationNetworking

/// Declared so that code compiles. **On Linux no such challenge is ever sent**: whom to trust is said by the
/// system's certificates, `additionalCertificates` and `pinnedPublicKeys`.
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"
/// Declared so that code compiles. On Linux no such challenge is sent: set `clientIdentity`.
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"

extension URLCredentialStorage {
    /// As `credentials(for:)`; called back before it returns.
    public func getCredentials(
        for protectionSpace: URLProtectionSpace, task: URLSessionTask,
        completionHandler: ([String: URLCredential]?) -> Void
    ) {
        completionHandler(credentials(for: protectionSpace))
    }

    /// As `set(_:for:)`.
    public func set(
        _ credential: URLCredential, for protectionSpace: URLProtectionSpace, task: URLSessionTask
    ) {
        set(credential, for: protectionSpace)
    }

    /// As `remove(_:for:options:)`.
    public func remove(
        _ credential: URLCredential, for protectionSpace: URLProtectionSpace,
        options: [String: AnyObject]? = [:], task: URLSessionTask
    ) {
        remove(credential, for: protectionSpace, options: options)
    }

    /// As `defaultCredential(for:)`; called back before it returns.
    public func getDefaultCredential(
        for space: URLProtectionSpace, task: URLSessionTask, completionHandler: (URLCredential?) -> Void
    ) {
        completionHandler(defaultCredential(for: space))
    }

    /// As `setDefaultCredential(_:for:)`.
    public func setDefaultCredential(
        _ credential: URLCredential, for protectionSpace: URLProtectionSpace, task: URLSessionTask
    ) {
        setDefaultCredential(credential, for: protectionSpace)
    }
}
