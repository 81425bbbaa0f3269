// Digests by libcrypto, of a file in constant memory or of a short text. It
// blocks while it reads, and compares nothing: the caller knows what to expect.

import CCrypto
import Glibc

public enum FileDigest {
    /// 64 lower-case hexadecimal digits.
    public static func sha256(ofFile path: String) throws(FileDigestError) -> String {
        try digests([.sha256], ofFile: path)[.sha256] ?? ""
    }

    /// Each in lower-case hexadecimal; the file is read once.
    public static func digests(
        _ algorithms: Set<DigestAlgorithm>, ofFile path: String
    ) throws(FileDigestError) -> [DigestAlgorithm: String] {
        var running: [DigestAlgorithm: RunningDigest] = [:]
        for algorithm in algorithms { running[algorithm] = try RunningDigest(algorithm) }
        do throws(SystemFailure) {
            try OpenFile(path, O_RDONLY).forEachChunk { bytes throws(SystemFailure) in
                for digest in running.values { digest.add(bytes) }
            }
        } catch {
            throw .unreadable(path: path, errno: error.code)
        }
        var digests: [DigestAlgorithm: String] = [:]
        for (algorithm, digest) in running { digests[algorithm] = try digest.finish() }
        return digests
    }

    /// Before anything else of the process uses libcrypto, as libcurl does.
    static func prepare() { _ = RunningDigest.staysUntilTheEnd }

    /// 64 lower-case hexadecimal digits. Without EVP: a program that only names its records would else spend more
    /// on OpenSSL's configuration and providers than on all its other work.
    static func sha256(of text: String) throws(FileDigestError) -> String {
        var bytes = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        let isSound = Array(text.utf8).withUnsafeBytes {
            ccrypto_sha256($0.baseAddress, $0.count, &bytes) == 1
        }
        guard isSound else { throw .unavailable }
        return hexadecimal(bytes)
    }

    fileprivate static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// In bytes.
    static func length(ofFile path: String) throws(FileDigestError) -> Int64 {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .unreadable(path: path, errno: errno) }
        return Int64(status.st_size)
    }
}

public enum FileDigestError: Error, Equatable, Sendable, CustomStringConvertible {
    case unreadable(path: String, errno: Int32)
    /// libcrypto refuses the digest, as a broken installation of it does.
    case unavailable

    public var description: String {
        switch self {
        case .unreadable(let path, let code):
            "Cannot check \(path): \(String(cString: strerror(code))). Make it readable and try again."
        case .unavailable:
            "Cannot compute a digest: libcrypto refuses it. Check the installation of OpenSSL."
        }
    }
}

/// One digest under way. A refusal in the middle is kept until the end.
private final class RunningDigest {
    private let context: OpaquePointer
    private var isSound: Bool

    /// libcrypto's own end at `exit` would take from other threads what they compute with: they go on until the
    /// process has gone. Asked before its first use; later it is too late.
    static let staysUntilTheEnd: Bool =
        OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1

    init(_ algorithm: DigestAlgorithm) throws(FileDigestError) {
        _ = Self.staysUntilTheEnd
        guard let context = EVP_MD_CTX_new() else { throw .unavailable }
        self.context = context
        isSound = EVP_DigestInit_ex(context, algorithm.implementation, nil) == 1
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    func add(_ bytes: UnsafeRawBufferPointer) {
        isSound = isSound && EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1
    }

    func finish() throws(FileDigestError) -> String {
        var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard isSound, EVP_DigestFinal_ex(context, &bytes, &count) == 1 else { throw .unavailable }
        return FileDigest.hexadecimal(bytes.prefix(Int(count)))
    }
}
