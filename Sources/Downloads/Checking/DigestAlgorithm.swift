// The digests a file can be held to. RFC 9530 calls the older ones (MD5, SHA-1, the checksums) insecure and
// tells receivers to pass them over, so they are not here.

import CCrypto

public enum DigestAlgorithm: String, Sendable, Hashable, CaseIterable {
    case sha256 = "sha-256"
    case sha512 = "sha-512"

    /// Bytes of a digest.
    var length: Int {
        switch self {
        case .sha256: 32
        case .sha512: 64
        }
    }

    var implementation: OpaquePointer? {
        switch self {
        case .sha256: EVP_sha256()
        case .sha512: EVP_sha512()
        }
    }
}
