// One request and the redirects it goes through: what it looks like now, and whom its credentials were
// meant for. A pure value; libcurl does the following.
import Foundation

struct RedirectChain {
    private(set) var shape: RequestShape
    private let origin: Origin?
    private let proxies: EngineProxies

    init(_ request: EngineRequest) {
        shape = RequestShape(request)
        origin = Origin(request.url)
        proxies = request.proxies
    }

    /// The request that this redirect asks for; nil when it is none, or none that can be made.
    func next(after block: HeadReader.Block, base: String) -> EngineRedirect? {
        guard let target = block.redirectTargets.last, let url = Origin.resolve(target, relativeTo: base)
        else { return nil }
        var chain = self
        chain.follow(block, base: base)
        return EngineRedirect(
            url: url, method: chain.shape.method, headers: chain.shape.headers,
            sendsBody: chain.shape.sendsBody)
    }

    /// Of several addresses libcurl takes one; credentials go along only if all are the same place.
    mutating func follow(_ block: HeadReader.Block, base: String) {
        let targets = block.redirectTargets.map { Origin($0, relativeTo: base) }
        let last = targets.last ?? nil
        let target = targets.allSatisfy { $0 == last } ? last : nil
        shape = shape.redirected(status: block.status, from: origin, to: target, proxies: proxies)
    }

    /// The head that answers the request as it is now.
    func head(of block: HeadReader.Block, url: String) -> EngineHead {
        var head = EngineHead(
            url: url, status: block.status, version: block.version, headers: block.headers,
            hasBody: shape.method != "HEAD" && block.status != 204 && block.status != 304)
        if head.hasBody, head.bodyLength == 0 { head.hasBody = false }
        return head
    }
}
