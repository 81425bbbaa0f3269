// A process-bound session's cookies, from and to the storage that its configuration names: Foundation's rules,
// with Foundation's parser. Background sessions have theirs in the service. Any thread: the storage is safe.
import Foundation
import FoundationNetworking
import TransferProtocol

struct CookieExchange: Sendable {
    private let storage: HTTPCookieStorage
    private let sends: Bool
    private let accepts: HTTPCookie.AcceptPolicy

    /// Nil where the storage has no part: in background sessions, and without a storage.
    init?(_ configuration: URLSessionConfiguration) {
        guard configuration.isProcessBound, configuration.keepsCookies, configuration.hasOwnCookieStorage,
            let storage = configuration.httpCookieStorage
        else { return nil }
        self.storage = storage
        sends = configuration.httpShouldSetCookies
        accepts = configuration.httpCookieAcceptPolicy
    }

    /// The request with the storage's cookies; one that says its own is left as it is.
    func dress(_ request: RequestRecord) -> RequestRecord {
        guard sends, request.headers.first("Cookie") == nil, let url = URL(exactly: request.url) else {
            return request
        }
        let fields = HTTPCookie.requestHeaderFields(with: storage.cookies(for: url) ?? [])
        guard let value = fields["Cookie"], !value.isEmpty else { return request }
        var dressed = request
        dressed.headers.append(HeaderField("Cookie", value))
        return dressed
    }

    /// Keeps what the answer gives, if it may be kept.
    func take(_ response: ResponseRecord, mainDocument: URL?) {
        guard accepts != .never, let url = URL(exactly: response.url) else { return }
        let isForeign =
            accepts == .onlyFromMainDocumentDomain && Self.isForeign(url, to: mainDocument)
        guard !isForeign else { return }
        // One field at a time: joined by commas they could not be told apart.
        for field in response.headers.all("Set-Cookie") {
            for cookie in HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": field], for: url) {
                storage.setCookie(Self.datedByAge(cookie))
            }
        }
    }

    /// Max-Age comes before Expires (RFC 6265 §5.3), also zero, which takes the cookie back; Foundation on
    /// Linux reads it in cookies of version 1 only, which nobody sends.
    private static func datedByAge(_ cookie: HTTPCookie) -> HTTPCookie {
        guard var properties = cookie.properties, let text = properties[.maximumAge] as? String,
            let age = Int(text.trimmingCharacters(in: .whitespaces))
        else { return cookie }
        properties[.maximumAge] = nil
        properties[.discard] = nil
        properties[.expires] = age > 0 ? Date(timeIntervalSinceNow: Double(age)) : Date.distantPast
        return HTTPCookie(properties: properties) ?? cookie
    }

    private static func isForeign(_ url: URL, to mainDocument: URL?) -> Bool {
        guard let main = mainDocument?.host?.lowercased() else { return false }
        guard let host = url.host?.lowercased() else { return true }
        return main != host && !main.hasSuffix("." + host)
    }

    func removeAll() { storage.removeCookies(since: .distantPast) }
}
