// The name a downloaded file gets when nobody chose one: the server's
// suggestion, else the last part of the address, else "download". The result
// is always one safe file name; what may already have it is not asked here.

import Foundation

public struct SuggestedFilename: Sendable, Equatable {
    public static let fallback = "download"

    /// At most 255 bytes of UTF-8, without separators or control characters, and
    /// neither `.` nor `..`.
    public let name: String

    /// - Parameters:
    ///   - contentDisposition: the response's header field, if it has one (RFC 6266).
    ///   - address: where the file came from.
    public init(contentDisposition: String? = nil, address: URL?) {
        let header = contentDisposition.map(ContentDisposition.init)
        let candidates = [header?.extendedName, header?.plainName, Self.lastPart(of: address)]
        name =
            candidates.lazy.compactMap { $0 }.compactMap(SafeFilename.init).first?.name ?? Self.fallback
    }

    /// Decoded after the split, so that an encoded slash cannot choose the segment;
    /// bytes that are no UTF-8 stay encoded.
    private static func lastPart(of address: URL?) -> String? {
        let path = address?.path(percentEncoded: true)
        guard let last = path?.split(separator: "/").last else { return nil }
        return last.removingPercentEncoding ?? String(last)
    }
}
