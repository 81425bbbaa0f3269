// The cookies of one transfer: its handle starts with the jar's, and at each head of its chain what that
// answer changed goes to the jar, or is taken back if such cookies are not wanted. Lives on curl's thread.
import CCurl
import Foundation

final class TransferCookies {
    private(set) var changes = CookieChanges()
    private let request: EngineCookies
    private let jar: CookieJar?
    private let easy: UnsafeMutableRawPointer
    private var known: [String]

    /// - Parameter hasOwnHeader: the request says itself which cookies go out.
    init(_ request: EngineCookies, jar: CookieJar?, on easy: UnsafeMutableRawPointer, hasOwnHeader: Bool) {
        self.request = request
        self.jar = jar
        self.easy = easy
        sends = request.sends && !hasOwnHeader
        known = []
        // This alone turns libcurl's cookies on.
        ccurl_set_string(easy, CURLOPT_COOKIEFILE, "")
        guard sends else { return }
        for line in (jar?.lines ?? []) + request.given { CookieLines.add(line, to: easy) }
        known = CookieLines.of(easy)
    }

    private let sends: Bool

    /// An answer's head is there, and libcurl has taken its cookies.
    func take(from url: String) {
        let now = CookieLines.of(easy)
        guard now != known else { return }
        if request.accepts(from: url) {
            var fresh = CookieChanges()
            fresh.added = now.filter { !known.contains($0) }
            fresh.removed = known.filter { !now.contains($0) }
            jar?.take(fresh)
            changes.removed = changes.removed.filter { !fresh.added.contains($0) } + fresh.removed
            changes.added = changes.added.filter { !fresh.removed.contains($0) } + fresh.added
            if sends { return known = now }
        }
        CookieLines.removeAll(from: easy)
        for line in known { CookieLines.add(line, to: easy) }
    }
}
