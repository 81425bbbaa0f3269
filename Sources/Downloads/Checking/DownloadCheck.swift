// Whether a finished download is the file that was wanted: decided from the answer's head, the file's length
// and its digests. It decides; `problem(ofFile:)` alone reads the file, blocking, in constant memory.

import BackgroundURLSession
import Foundation

public struct DownloadCheck {
    private let response: HTTPURLResponse?
    private let asksRange: Bool
    private let lengths: [(Mismatch.Promiser, Int64)]
    private let digests: [(Mismatch.Promiser, DigestAlgorithm, String)]

    /// - Parameters:
    ///   - response: the task's; for one that went on from resume data, the 206 that continued it.
    ///   - asksRange: the request itself has a Range field, so that a part is what its author wants.
    ///   - expected: bytes the server has promised; negative while it has not.
    ///   - length: bytes the asker was promised.
    ///   - sha256: what the asker was promised, in hexadecimal.
    public init(
        response: URLResponse?, asksRange: Bool = false, expected: Int64 = -1, length: Int64? = nil,
        sha256: String? = nil
    ) {
        let http = response as? HTTPURLResponse
        self.response = http
        self.asksRange = asksRange
        // What was decoded on arrival has neither the length nor the digest that were sent (RFC 9530,
        // section 3.1: a representation's digest is of its coded form).
        let isDecoded = http.map(Self.isEncoded) ?? false
        var lengths: [(Mismatch.Promiser, Int64)] = []
        if expected >= 0, !isDecoded { lengths.append((.server, expected)) }
        if let length { lengths.append((.asker, length)) }
        self.lengths = lengths
        var digests: [(Mismatch.Promiser, DigestAlgorithm, String)] = []
        if let sha256 { digests.append((.asker, .sha256, sha256.lowercased())) }
        // A part does not have the whole's digest.
        if let http, !isDecoded, !asksRange, let said = Self.serverDigest(http) {
            digests.append((.server, said.algorithm, said.hex))
        }
        self.digests = digests
    }

    /// What is wrong with the answer itself, whatever its bytes are.
    public var answerProblem: DownloadError? {
        guard let response else { return .unexpectedResponse("it is no answer over HTTP") }
        guard (200..<300).contains(response.statusCode) else {
            return .unacceptableStatus(response.statusCode)
        }
        if response.statusCode == 206, !asksRange, contentRange == nil {
            return .unexpectedResponse("it is a part (206) and does not say which")
        }
        return nil
    }

    /// The digests that `problem` wants to see.
    public var algorithms: Set<DigestAlgorithm> { Set(digests.map(\.1)) }

    /// What is wrong with a file of that length and those digests.
    public func problem(length: Int64, digests actual: [DigestAlgorithm: String]) -> DownloadError? {
        if let problem = answerProblem { return problem }
        if response?.statusCode == 206, !asksRange, let whole = wholeLength, whole != length {
            return .notAsPromised(.length(promised: whole, actual: length, by: .server))
        }
        for (promiser, promised) in lengths where promised != length {
            return .notAsPromised(.length(promised: promised, actual: length, by: promiser))
        }
        for (promiser, algorithm, promised) in digests {
            guard let found = actual[algorithm], found != promised else { continue }
            return .notAsPromised(.digest(algorithm, promised: promised, actual: found, by: promiser))
        }
        return nil
    }

    /// Reads the file, unless its answer or its length tell enough.
    public func problem(ofFile path: String) throws(FileDigestError) -> DownloadError? {
        if let problem = answerProblem { return problem }
        let length = try FileDigest.length(ofFile: path)
        if let problem = problem(length: length, digests: [:]) { return problem }
        guard !algorithms.isEmpty else { return nil }
        return problem(length: length, digests: try FileDigest.digests(algorithms, ofFile: path))
    }

    // MARK: Fields

    private static func isEncoded(_ response: HTTPURLResponse) -> Bool {
        let encoding = response.value(forHTTPHeaderField: "Content-Encoding")?.lowercased() ?? ""
        return !encoding.isEmpty && encoding != "identity"
    }

    private static func serverDigest(_ response: HTTPURLResponse) -> ServerDigest? {
        ServerDigest(
            representation: response.value(forHTTPHeaderField: "Repr-Digest"),
            older: response.value(forHTTPHeaderField: "Digest"))
    }

    /// `bytes 0-1/2`, in lower case.
    private var contentRange: String? {
        let value = response?.value(forHTTPHeaderField: "Content-Range")?.lowercased()
        return value.flatMap { $0.hasPrefix("bytes ") ? $0 : nil }
    }

    /// Nil where the server says `*`.
    private var wholeLength: Int64? {
        contentRange?.split(separator: "/").last.flatMap { Int64($0.trimmingCharacters(in: .whitespaces)) }
    }
}
