// The request as it goes out at one step of a chain of redirects: method, headers, proxy. A pure value;
// each redirect makes the next one from it (RFC 9110 §15.4).
import Foundation

struct RequestShape: Equatable {
    var method: String
    /// Whether the body goes along.
    var sendsBody: Bool
    var headers: [EngineHeader]
    var proxy: String?

    private static let credentials: Set = ["authorization", "cookie", "proxy-authorization"]
    /// Framing is the engine's: a caller's own would contradict what is sent.
    private static let framing: Set = ["content-length", "transfer-encoding", "expect"]

    init(_ request: EngineRequest) {
        method = request.method
        sendsBody = request.upload != nil
        headers = request.headers.filter { !Self.framing.contains($0.name.lowercased()) }
        if request.credential != nil { headers.removeAll { $0.name.lowercased() == "authorization" } }
        if request.proxyCredential != nil {
            headers.removeAll { $0.name.lowercased() == "proxy-authorization" }
        }
        proxy = request.proxies.proxy(forScheme: String(request.url.prefix { $0 != ":" }))
    }

    /// Methods that carry a body even when there is none to send: their Content-Length of 0 goes out.
    var expectsBody: Bool { sendsBody || ["POST", "PUT", "PATCH"].contains(method) }

    /// The step after an answer of `status` that names a target at `target`, nil when that is unreadable.
    /// Credentials that were left behind once do not come back when a chain returns to its first origin.
    func redirected(
        status: Int, from: Origin?, to target: Origin?, proxies: EngineProxies
    ) -> RequestShape {
        var next = self
        if target == nil || target != from {
            next.headers.removeAll { Self.credentials.contains($0.name.lowercased()) }
        }
        // 301 and 302 turn a POST into a GET by custom; 303 turns everything but HEAD into one by rule.
        let becomesGET =
            status == 303 ? method != "HEAD" : (status == 301 || status == 302) && method == "POST"
        if becomesGET {
            next.method = "GET"
            next.sendsBody = false
            next.headers.removeAll { $0.name.lowercased().hasPrefix("content-") }
        }
        if let target { next.proxy = proxies.proxy(forScheme: target.scheme) }
        return next
    }

    /// A caller's Proxy-Authorization is for the proxy where there is one; through a tunnel it must not
    /// reach the server.
    var serverHeaders: [EngineHeader] { headers.filter { proxy == nil || !Self.isForProxy($0) } }
    var proxyHeaders: [EngineHeader] { headers.filter { proxy != nil && Self.isForProxy($0) } }

    private static func isForProxy(_ header: EngineHeader) -> Bool {
        header.name.lowercased() == "proxy-authorization"
    }
}
