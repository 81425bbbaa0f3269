// What goes out: byte for byte what was asked, or nothing.
import Foundation
import Testing

@testable import HTTPEngine

@Suite(.timeLimit(.minutes(1))) struct RequestTests {
    let world = EngineWorld()

    private let number = Box<UInt64>(0)

    private func asked(_ change: (inout EngineRequest, RawServer) -> Void) async -> RawRequest? {
        let got = Box<RawRequest?>(nil)
        let server = RawServer { connection, _ in
            let request = connection.request()
            got.change { $0 = request }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
        var request = world.request(server.url())
        change(&request, server)
        number.change { $0 += 1 }
        let outcome = await world.run(request, number.value)
        #expect(outcome.failure == nil)
        return got.value
    }

    @Test(arguments: [
        "/a%2Bb/%40+c?x=%2B&y=a+b&z=%zz", "/a/../b/./c//d", "/?", "/p?q=a?b/../c", "/%e4%E4;p=1,2!$'()*",
        "/a|b{c}\"<>^`[]", "/p?a[]=1&b={x}|\"",
    ])
    func `the request target goes out byte for byte`(_ target: String) async {
        let request = await asked { $0.url = $1.url(target) }
        #expect(request?.target == target)
    }

    @Test func `a fragment stays at home and a bare host gets a slash`() async {
        #expect(await asked { $0.url = $1.url("/p?q#part") }?.target == "/p?q")
        #expect(await asked { $0.url = $1.url("") }?.target == "/")
    }

    @Test func `bytes that no address may hold are percent-encoded`() async {
        #expect(await asked { $0.url = $1.url("/ä") }?.target == "/%c3%a4")
        #expect(await asked { $0.url = $1.url("/?ä") }?.target == "/?ä")
    }

    @Test func `headers go out in order, repeated and empty ones too`() async {
        let request = await asked { request, _ in
            request.headers = [
                EngineHeader(name: "X-B", value: "1"), EngineHeader(name: "X-A", value: ""),
                EngineHeader(name: "X-B", value: "2"), EngineHeader(name: "Content-Length", value: "9"),
                EngineHeader(name: "Accept-Encoding", value: "br"),
            ]
        }
        let own = request?.lines.filter { $0.hasPrefix("X-") }
        #expect(own == ["X-B: 1", "X-A:", "X-B: 2"])
        #expect(request?.value("Content-Length") == nil)
        #expect(request?.lines.filter { $0.hasPrefix("Accept-Encoding") } == ["Accept-Encoding: br"])
    }

    @Test func `a POST without a body says so`() async {
        let request = await asked { request, _ in request.method = "POST" }
        #expect(request?.line == "POST / HTTP/1.1")
        #expect(request?.value("Content-Length") == "0")
        #expect(request?.value("Content-Type") == nil)
    }

    @Test func `the proxy's credentials go to the proxy`() async {
        let request = await asked { request, server in
            request.proxies = EngineProxies(http: server.url(""))
            request.url = "http://example.invalid/x%2B/../y?z"
            request.headers = [EngineHeader(name: "Proxy-Authorization", value: "p")]
        }
        #expect(request?.line == "GET http://example.invalid/x%2B/../y?z HTTP/1.1")
        #expect(request?.lines.filter { $0.hasPrefix("Proxy-Auth") } == ["Proxy-Authorization: p"])
    }

    @Test func `hosts without a proxy are reached directly`() async {
        let request = await asked { request, server in
            request.proxies = EngineProxies(all: "http://127.0.0.1:1", noProxy: "127.0.0.1")
        }
        #expect(request?.line == "GET / HTTP/1.1")
    }

    @Test(arguments: [
        ("ftp://h/", EngineFailure.Kind.unsupportedScheme), ("file:///etc/passwd", .unsupportedScheme),
        ("no-scheme/x", .badURL), ("http:/x", .badURL), ("http://h/a b", .badURL),
        ("http://h:99999/", .badURL),
        ("http://", .badURL), ("http://h/\u{0}", .badURL),
        ("http://does-not-exist.invalid/", .cannotResolveHost),
    ])
    func `bad addresses are told apart`(_ url: String, _ kind: EngineFailure.Kind) async {
        #expect(await world.run(world.request(url)).failure?.kind == kind)
    }

    @Test func `nothing can be smuggled into a head`() async {
        var request = world.request("http://127.0.0.1:1/")
        request.headers = [EngineHeader(name: "X", value: "a\r\nB: c")]
        #expect(await world.run(request, 1).failure?.kind == .badRequest)
        request.headers = [EngineHeader(name: "X: y", value: "a")]
        #expect(await world.run(request, 2).failure?.kind == .badRequest)
        request.headers = []
        request.method = "GET /x"
        #expect(await world.run(request, 3).failure?.kind == .badRequest)
    }

    @Test func `a refused connection says so`() async {
        // A port that was free a moment ago.
        let port = RawServer { _, _ in }.port
        let failure = await world.run(world.request("http://127.0.0.1:\(port)/")).failure
        #expect(failure?.kind == .cannotConnect)
        #expect(failure?.osError == ECONNREFUSED)
        #expect(failure?.message == "connection refused")
        #expect(failure?.curlCode == 7)
    }

    @Test func `a proxy that is not there is told from a host that is not`() async {
        var request = world.request("http://127.0.0.1:1/")
        request.proxies.all = "http://does-not-exist.invalid:3128"
        #expect(await world.run(request).failure?.kind == .cannotResolveProxy)
    }

    @Test func `a proxy's refusal to connect is no answer`() async {
        let server = RawServer(always: "HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n")
        var request = world.request("https://example.invalid/")
        request.proxies.https = server.url("")
        let outcome = await world.run(request)
        #expect(outcome.failure?.kind == .cannotConnect)
        #expect(outcome.failure?.message == "the proxy answered 403")
        #expect(outcome.head == nil)
    }
}
