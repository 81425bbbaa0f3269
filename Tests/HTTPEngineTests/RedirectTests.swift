// Redirects: who gets the credentials, and where a chain ends.
import Foundation
import Testing

@testable import HTTPEngine

@Suite(.timeLimit(.minutes(1))) struct RedirectTests {
    let world = EngineWorld()
    static let secrets = ["Authorization", "Cookie", "Proxy-Authorization"]

    private func request(_ url: String) -> EngineRequest {
        var request = world.request(url)
        request.headers = (Self.secrets + ["X-Plain"]).map { EngineHeader(name: $0, value: "secret") }
        return request
    }

    /// Answers `/from` with a redirect, all else with 200, and keeps what it was asked.
    private func server(to target: String, keeping got: Box<[RawRequest]>) -> RawServer {
        RawServer { connection, _ in
            while let request = connection.request() {
                got.change { $0.append(request) }
                connection.send(
                    request.target == "/from"
                        ? "HTTP/1.1 302 Found\r\nLocation: \(target)\r\nContent-Length: 4\r\n\r\nbody"
                        : "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
        }
    }

    @Test func `the same origin keeps the credentials`() async {
        let got = Box<[RawRequest]>([])
        let server = server(to: "/to?x=%2B", keeping: got)
        let outcome = await world.run(request(server.url("/from")))
        #expect(outcome.failure == nil)
        #expect(got.value.map(\.target) == ["/from", "/to?x=%2B"])
        for name in Self.secrets { #expect(got.value.last?.value(name) == "secret") }
        #expect(outcome.head?.url == server.url("/to?x=%2B"))
        #expect(outcome.metrics.redirectCount == 1)
        #expect(world.log.heads.count == 1)
        #expect(world.body() == Array("ok".utf8))
    }

    @Test(arguments: ["127.0.0.1", "localhost"])
    func `another port or host does not get them`(_ host: String) async {
        let got = Box<[RawRequest]>([])
        let other = server(to: "/", keeping: got)
        let first = server(to: other.url("/to", host: host), keeping: Box([]))
        let outcome = await world.run(request(first.url("/from")))
        #expect(outcome.failure == nil)
        for name in Self.secrets { #expect(got.value.last?.value(name) == nil) }
        #expect(got.value.last?.value("X-Plain") == "secret")
    }

    @Test func `another host of the same port does not get them`() async {
        let got = Box<[RawRequest]>([])
        let port = Box<UInt16>(0)
        let server = RawServer { connection, _ in
            while let request = connection.request() {
                got.change { $0.append(request) }
                connection.send(
                    request.target == "/from"
                        ? "HTTP/1.1 302 F\r\nLocation: http://localhost:\(port.value)/to\r\nContent-Length: 0\r\n\r\n"
                        : "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
        }
        port.change { $0 = server.port }
        let outcome = await world.run(request(server.url("/from")))
        #expect(outcome.failure == nil)
        for name in Self.secrets { #expect(got.value.last?.value(name) == nil) }
    }

    @Test func `a loop ends after the allowed number`() async {
        let server = server(to: "/from", keeping: Box([]))
        var request = world.request(server.url("/from"))
        request.maximumRedirects = 3
        let outcome = await world.run(request)
        #expect(outcome.failure?.kind == .tooManyRedirects)
        #expect(outcome.failure?.curlCode == 47)
        #expect(outcome.head?.status == 302)
        #expect(world.body() == nil)
    }

    @Test func `a redirect to another scheme is not followed`() async {
        let server = server(to: "ftp://127.0.0.1/x", keeping: Box([]))
        #expect(await world.run(world.request(server.url("/from"))).failure?.kind == .unsupportedScheme)
    }

    @Test func `a range is asked for again at the target`() async {
        let got = Box<[RawRequest]>([])
        let server = server(to: "/to", keeping: got)
        var request = world.request(server.url("/from"))
        request.headers = [
            EngineHeader(name: "Range", value: "bytes=5-"), EngineHeader(name: "If-Range", value: "\"tag\""),
        ]
        _ = await world.run(request)
        #expect(got.value.last?.value("Range") == "bytes=5-")
        #expect(got.value.last?.value("If-Range") == "\"tag\"")
    }

    @Test func `credentials left behind do not come back on the way home`() {
        var start = EngineRequest(url: "http://a/", sink: "")
        start.headers = [EngineHeader(name: "cookie", value: "c"), EngineHeader(name: "B", value: "b")]
        let home = Origin("http://a/"), away = Origin("https://a/")
        let there = RequestShape(start).redirected(
            status: 302, from: home, to: away, proxies: EngineProxies())
        let back = there.redirected(status: 302, from: home, to: home, proxies: EngineProxies())
        #expect(back.headers == [EngineHeader(name: "B", value: "b")])
    }

    @Test func `origins are compared by scheme, host and port`() {
        #expect(Origin("http://A:80/x") == Origin("/y", relativeTo: "http://a/z"))
        #expect(Origin("http://a/") != Origin("https://a/"))
        #expect(Origin("http://a/") != Origin("//b/", relativeTo: "http://a/"))
        #expect(Origin("http://[bad") == nil)
    }
}
