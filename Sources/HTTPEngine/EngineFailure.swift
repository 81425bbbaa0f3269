// Why a transfer ended without success. The kind is what callers decide by; the message is short, plain and
// free of addresses and credentials, so that it may be shown and logged anywhere.
import Foundation

public struct EngineFailure: Error, Sendable, Equatable {
    public enum Kind: String, Sendable, Equatable, CaseIterable {
        /// By `cancel` or `shutdown`.
        case cancelled
        /// By the judge.
        case refused
        case badURL
        /// A method or header that cannot be sent, such as one with a line break.
        case badRequest
        case unsupportedScheme
        case cannotResolveHost
        case cannotResolveProxy
        case cannotConnect
        /// After the connection stood: reset, closed without an answer.
        case connectionLost
        /// The body ended before its announced end.
        case truncated
        case timedOut
        case tooManyRedirects
        case certificateUntrusted
        case certificateExpired
        case certificateNotYetValid
        case certificateWrongHost
        /// The server's key is not one of the pinned ones.
        case keyNotPinned
        /// The server wants a certificate of ours.
        case clientCertificateRequired
        /// The server does not take ours, or it cannot be read.
        case clientCertificateRejected
        /// TLS failed otherwise.
        case tlsFailed
        /// The proxy wants a name and a password before it connects.
        case proxyAuthenticationRequired
        case badResponse
        case cannotDecode
        /// The sink cannot be opened.
        case bodyFileCannotOpen
        /// The sink cannot be written.
        case bodyFileCannotWrite
        /// No room, or no quota, for the sink.
        case bodyFileNoSpace
        /// Nobody holds the other end of the pipe that the body should go into.
        case readerGone
        case sourceMissing
        case sourceChanged
        case sourceUnreadable
        case `internal`
    }

    public var kind: Kind
    /// libcurl's CURLcode; 0 when the failure is not libcurl's.
    public var curlCode: Int32
    /// errno; 0 when no system call failed.
    public var osError: Int32
    public var message: String
    /// The file that failed, for the file kinds.
    public var path: String?

    public init(_ kind: Kind, curlCode: Int32 = 0, osError: Int32 = 0, message: String, path: String? = nil) {
        self.kind = kind
        self.curlCode = curlCode
        self.osError = osError
        self.message = message
        self.path = path
    }

    static let cancelled = EngineFailure(.cancelled, message: "cancelled")
    static let refused = EngineFailure(.refused, message: "the answer was refused")
    static let idle = EngineFailure(.timedOut, message: "no data arrived in time")

    static func bodyFile(_ kind: Kind, _ path: String, errno code: Int32) -> EngineFailure {
        let isFull = code == ENOSPC || code == EDQUOT
        return EngineFailure(
            isFull ? .bodyFileNoSpace : kind, osError: code, message: SystemWords.for(code), path: path)
    }
}

/// errno values in plain words.
enum SystemWords {
    static func `for`(_ code: Int32) -> String {
        switch code {
        case ECONNREFUSED: "connection refused"
        case ECONNRESET: "connection reset"
        case EPIPE, ECONNABORTED: "connection broken"
        case ENETUNREACH: "network unreachable"
        case EHOSTUNREACH: "no route to host"
        case ETIMEDOUT: "connection timed out"
        case ENOSPC: "no space left on the disk"
        case EDQUOT: "disk quota exceeded"
        case EFBIG: "file too large"
        case ENOENT: "no such file or folder"
        case EACCES, EPERM: "permission denied"
        default: String(cString: strerror(code)).lowercased()
        }
    }
}
