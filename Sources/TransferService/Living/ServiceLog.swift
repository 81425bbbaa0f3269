// The service's log: a line an event on standard error, which its starter pointed at the log file. Never
// an address's query, never a header, never a body.
import Foundation

enum ServiceLog {
    /// Writes one line, stamped with UTC time. Any thread; one write(2) a line, so that lines stay whole.
    static func note(_ text: String) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        var parts = tm()
        gmtime_r(&now.tv_sec, &parts)
        let stamp = String(
            format: "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", parts.tm_year + 1900, parts.tm_mon + 1,
            parts.tm_mday,
            parts.tm_hour, parts.tm_min, parts.tm_sec, now.tv_nsec / 1_000_000)
        let line = "\(stamp) \(text.replacingOccurrences(of: "\n", with: " "))\n"
        _ = line.withCString { write(2, $0, strlen($0)) }
    }

    /// An address without user, query and fragment: those may hold credentials.
    static func redacted(_ url: String) -> String {
        guard var parts = URLComponents(string: url, encodingInvalidCharacters: false) else {
            return String(url.prefix { $0 != "?" && $0 != "#" && $0 != "@" })
        }
        parts.user = nil
        parts.password = nil
        parts.percentEncodedQuery = nil
        parts.fragment = nil
        return parts.string ?? "-"
    }
}
