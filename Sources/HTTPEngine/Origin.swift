// Scheme, host and port of an address, as libcurl's own parser reads them, so that both agree about who is
// asked. Credentials go to the origin they were meant for and to no other.
import CCurl
import Foundation

struct Origin: Equatable {
    var scheme: String
    var host: String
    var port: String

    /// The origin of `target`, which may be relative to `base`; nil when it cannot be read.
    init?(_ target: String, relativeTo base: String? = nil) {
        guard let parser = curl_url() else { return nil }
        defer { curl_url_cleanup(parser) }
        let flags = UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_PATH_AS_IS)
        if let base, curl_url_set(parser, CURLUPART_URL, base, flags) != CURLUE_OK { return nil }
        let lenient = flags | UInt32(CURLU_URLENCODE | CURLU_ALLOW_SPACE)
        guard curl_url_set(parser, CURLUPART_URL, target, base == nil ? flags : lenient) == CURLUE_OK,
            let scheme = Self.part(CURLUPART_SCHEME, parser), let host = Self.part(CURLUPART_HOST, parser),
            let port = Self.part(CURLUPART_PORT, parser)
        else { return nil }
        self.scheme = scheme.lowercased()
        self.host = host.lowercased()
        self.port = port
    }

    /// The whole address that a redirect names, as libcurl would follow it.
    static func resolve(_ target: String, relativeTo base: String) -> String? {
        guard let parser = curl_url() else { return nil }
        defer { curl_url_cleanup(parser) }
        let flags = UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_PATH_AS_IS)
        let lenient = flags | UInt32(CURLU_URLENCODE | CURLU_ALLOW_SPACE)
        guard curl_url_set(parser, CURLUPART_URL, base, flags) == CURLUE_OK,
            curl_url_set(parser, CURLUPART_URL, target, lenient) == CURLUE_OK
        else { return nil }
        var text: UnsafeMutablePointer<CChar>?
        let result = curl_url_get(parser, CURLUPART_URL, &text, 0)
        defer { curl_free(text) }
        guard result == CURLUE_OK, let text else { return nil }
        return String(cString: text)
    }

    private static func part(_ part: CURLUPart, _ parser: OpaquePointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        let result = curl_url_get(parser, part, &text, UInt32(CURLU_DEFAULT_PORT))
        defer { curl_free(text) }
        guard result == CURLUE_OK, let text else { return nil }
        return String(cString: text)
    }
}
