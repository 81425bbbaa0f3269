// What makes a request one that can never be sent. Pure.
import Foundation
import TransferProtocol
import TransferStore

enum RequestCheck {
    /// The error such a task ends with when it is resumed (Apple: unsupported URL, bad URL); nil when the
    /// request can be tried.
    static func error(for task: TaskRecord) -> ErrorRecord? {
        let url = task.request.url
        guard let parts = URLComponents(string: url, encodingInvalidCharacters: false),
            let scheme = parts.scheme?.lowercased()
        else {
            return ErrorRecord(ErrorCode.badURL, "this is not an address", url: url)
        }
        guard scheme == "http" || scheme == "https" else {
            return ErrorRecord(
                ErrorCode.unsupportedURL, "background transfers are for http and https, not for \(scheme)",
                url: url)
        }
        guard let host = parts.host, !host.isEmpty else {
            return ErrorRecord(ErrorCode.badURL, "the address names no host", url: url)
        }
        if task.kind == .data, task.pipe == nil {
            return ErrorRecord(
                ErrorCode.backgroundSessionDisconnected, "a data task needs a pipe for its answer", url: url)
        }
        return nil
    }

    /// Tasks that share this share the per-host limit: the session and the origin (RFC 9110 §4.3.1).
    static func lane(session: Int64, url: String) -> String {
        guard let parts = URLComponents(string: url, encodingInvalidCharacters: false),
            let scheme = parts.scheme?.lowercased(), let host = parts.host?.lowercased()
        else { return "\(session) -" }
        let port = parts.port ?? (scheme == "https" ? 443 : 80)
        return "\(session) \(scheme)://\(host):\(port)"
    }
}
