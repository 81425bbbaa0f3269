// Who a client is, to servers that ask for a certificate: Linux only, in place of a client-certificate
// challenge.
import Foundation

/// A client certificate and its key, by the files that hold them. The files are read for each connection and
/// must stay where they are; the password, if there is one, is kept with the session in the service's private
/// database.
public struct ClientIdentity: Sendable, Equatable {
    /// PEM, or PKCS #12 if its name ends in `.p12` or `.pfx`.
    public var certificate: URL
    /// PEM; nil if the certificate's file holds the key too.
    public var privateKey: URL?
    /// Of the key, or of the PKCS #12 file.
    public var password: String?

    public init(certificate: URL, privateKey: URL? = nil, password: String? = nil) {
        self.certificate = certificate
        self.privateKey = privateKey
        self.password = password
    }
}
