// The head of an answer, as the judge and the reports show it, and what the judge may answer.
import Foundation

/// What becomes of the body that follows a head.
public enum BodyDisposition: Sendable, Equatable {
    /// The sink is emptied first.
    case replace
    /// The bytes go to the sink's end, until it is that long. One more than that, and the transfer ends with
    /// `.refused`: whatever came is not what the head had promised.
    case append(until: Int64)
    /// The body is kept aside, up to so many bytes, and is in the outcome; the sink is not touched. When there is
    /// more, the transfer ends with `.refused`.
    case keepAside(atMost: Int)
    /// No byte of the body is read, the sink is not touched, and the transfer ends with `.refused`.
    case refuse
}

public struct EngineHead: Sendable, Equatable {
    /// The address that answered, after redirects.
    public var url: String
    public var status: Int
    /// As in the status line: `HTTP/1.1`.
    public var version: String
    /// In the order they came, repeated ones repeated.
    public var headers: [EngineHeader]
    /// False where the head alone says that no body follows: a HEAD request, 204, 304, length 0.
    public var hasBody: Bool

    public init(url: String, status: Int, version: String, headers: [EngineHeader], hasBody: Bool) {
        self.url = url
        self.status = status
        self.version = version
        self.headers = headers
        self.hasBody = hasBody
    }

    /// Every value of a header; names are compared without regard to case.
    public func values(of name: String) -> [String] {
        headers.filter { $0.name.caseInsensitiveCompare(name) == .orderedSame }.map(\.value)
    }

    /// The bytes of body that this answer announces, as they will arrive in the sink; nil when it does not
    /// say, or says it of an encoded form.
    public var bodyLength: Int64? {
        if !hasBody { return 0 }
        if isChunked || isEncoded { return nil }
        return announcedLengths.first
    }

    /// Whether only the end of the connection tells where the body ends, so that nobody can tell whether
    /// all of it came (RFC 9112 §6.3).
    public var isCloseDelimited: Bool { hasBody && !isChunked && announcedLengths.isEmpty }

    /// Different Content-Length values in one head: nobody knows which is meant (RFC 9112 §6.3).
    var hasConflictingLengths: Bool { Set(announcedLengths).count > 1 }

    /// The bytes of the connection are not those of the body.
    var hasCodings: Bool { isChunked || isEncoded }

    private var isChunked: Bool { !values(of: "Transfer-Encoding").isEmpty }

    private var isEncoded: Bool {
        values(of: "Content-Encoding").contains { !$0.isEmpty && $0.lowercased() != "identity" }
    }

    private var announcedLengths: [Int64] {
        values(of: "Content-Length").flatMap { $0.split(separator: ",") }
            .compactMap { Int64($0.trimmingCharacters(in: .whitespaces)) }
            .filter { $0 >= 0 }
    }
}
