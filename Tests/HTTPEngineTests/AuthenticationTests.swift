// Names and passwords: who gets them, what is asked again, and what is an answer after all.
import Foundation
import Testing

@testable import HTTPEngine

@Suite(.timeLimit(.minutes(1))) struct AuthenticationTests {
    let world = EngineWorld()
    static let digest = #"Digest realm="r", nonce="n1", qop="auth", algorithm=SHA-256"#

    /// Asks with `field` until the request has an Authorization that `accepts`.
    private func server(
        _ field: String, keeping got: Box<[RawRequest]>, accepts: @escaping @Sendable (String) -> Bool
    ) -> RawServer {
        RawServer { connection, _ in
            while let request = connection.request() {
                got.change { $0.append(request) }
                connection.send(
                    request.value("Authorization").map(accepts) == true
                        ? "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
                        : "HTTP/1.1 401 No\r\nWWW-Authenticate: \(field)\r\nContent-Length: 4\r\n\r\nwho?")
            }
        }
    }

    private func request(_ url: String, _ scheme: EngineCredential.Scheme) -> EngineRequest {
        var request = world.request(url)
        request.credential = EngineCredential(user: "me", password: "p:\u{FC}", scheme: scheme)
        return request
    }

    @Test func `basic goes out with the first request`() async {
        let got = Box<[RawRequest]>([])
        let server = server("Basic realm=r", keeping: got) { $0.hasPrefix("Basic ") }
        var request = request(server.url(), .basic)
        request.headers = [EngineHeader(name: "authorization", value: "Bearer old")]
        #expect(await world.run(request).failure == nil)
        #expect(got.value.count == 1)
        #expect(
            got.value.first?.value("Authorization") == "Basic " + Data("me:p:ü".utf8).base64EncodedString())
    }

    @Test func `digest asks twice in one transfer and shows one answer`() async {
        let got = Box<[RawRequest]>([])
        let server = server(Self.digest, keeping: got) { $0.hasPrefix("Digest username=\"me\"") }
        let outcome = await world.run(request(server.url(), .digest))
        #expect(outcome.failure == nil)
        #expect(got.value.count == 2)
        #expect(world.body() == Array("ok".utf8))
        #expect(world.log.heads.map(\.status) == [200])
        #expect(outcome.transactions.map { $0.head?.status } == [401, 200])
    }

    @Test func `a file is sent once it is known who sends it`() async {
        let got = Box<[RawRequest]>([])
        let server = server(Self.digest, keeping: got) { $0.hasPrefix("Digest ") }
        var request = request(server.url(), .digest)
        request.method = "PUT"
        request.upload = world.file("up", Array("payload".utf8))
        let outcome = await world.run(request)
        #expect(outcome.failure == nil)
        #expect(got.value.last?.body == Array("payload".utf8))
        #expect(got.value.map { $0.body.count } == [0, 7])
        #expect(outcome.sent == 7)
    }

    @Test(arguments: [EngineCredential.Scheme.basic, .digest])
    func `what is not accepted ends in the 401 and its body`(_ scheme: EngineCredential.Scheme) async {
        let server = server(
            scheme == .basic ? "Basic realm=r" : Self.digest, keeping: Box([]), accepts: { _ in false })
        let outcome = await world.run(request(server.url(), scheme))
        #expect(outcome.failure == nil)
        #expect(outcome.head?.status == 401)
        #expect(world.body() == Array("who?".utf8))
        #expect(world.log.heads.map(\.status) == [401])
    }

    @Test func `a 401 without a body is an answer too`() async {
        let server = RawServer(
            always: "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=r\r\nContent-Length: 0\r\n\r\n")
        let outcome = await world.run(request(server.url(), .basic))
        #expect(outcome.failure == nil)
        #expect(world.log.heads.map(\.status) == [401])
        #expect(world.body() == [])
    }

    @Test func `a digest that libcurl cannot make ends in the 401`() async {
        let server = server(
            #"Digest realm="r", nonce="n", algorithm=ROT13"#, keeping: Box([]), accepts: { _ in false })
        let outcome = await world.run(request(server.url(), .digest))
        #expect(outcome.head?.status == 401)
        #expect(world.body() == Array("who?".utf8))
    }

    @Test func `another origin does not get them`() async {
        let got = Box<[RawRequest]>([])
        let other = server("Basic realm=r", keeping: got) { _ in false }
        let first = RawServer(
            always: "HTTP/1.1 302 Found\r\nLocation: \(other.url())\r\nContent-Length: 0\r\n\r\n")
        let outcome = await world.run(request(first.url(), .basic))
        #expect(got.value.count == 1)
        #expect(got.value.first?.value("Authorization") == nil)
        #expect(outcome.head?.status == 401)
    }

    @Test func `a proxy gets its own and the server does not`() async {
        let got = Box<[RawRequest]>([])
        let proxy = RawServer { connection, _ in
            while let request = connection.request() {
                got.change { $0.append(request) }
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        }
        var request = world.request("http://nowhere.invalid/")
        request.proxies = EngineProxies(http: proxy.url())
        request.proxyCredential = EngineCredential(user: "p", password: "q", scheme: .basic)
        #expect(await world.run(request).failure == nil)
        #expect(got.value.first?.value("Proxy-Authorization")?.hasPrefix("Basic ") == true)
        #expect(got.value.first?.value("Authorization") == nil)
    }

    @Test func `a proxy that wants a password before it connects says so`() async {
        let proxy = RawServer(
            always: "HTTP/1.1 407 No\r\nProxy-Authenticate: Digest realm=\"p\", nonce=\"n\"\r\n"
                + "Proxy-Authenticate: Basic realm=\"p\"\r\nContent-Length: 0\r\n\r\n")
        var request = world.request("https://nowhere.invalid/")
        request.proxies = EngineProxies(https: proxy.url())
        let outcome = await world.run(request)
        #expect(outcome.failure?.kind == .proxyAuthenticationRequired)
        #expect(outcome.proxySchemes == [.digest, .basic])
    }

    @Test func `a redirect that is not followed is an answer and says what would come next`() async {
        let server = RawServer(
            always: "HTTP/1.1 303 See\r\nLocation: /to?a=%2B\r\nContent-Length: 4\r\n\r\nhere")
        var request = world.request(server.url("/from"))
        request.method = "POST"
        request.upload = world.file("up", [1])
        request.headers = [EngineHeader(name: "Authorization", value: "a")]
        request.followsRedirects = false
        let outcome = await world.run(request)
        #expect(outcome.failure == nil)
        #expect(outcome.head?.status == 303)
        #expect(world.body() == Array("here".utf8))
        #expect(outcome.redirect?.url == server.url("/to?a=%2B"))
        #expect(outcome.redirect?.method == "GET")
        #expect(outcome.redirect?.sendsBody == false)
        #expect(outcome.redirect?.headers == [EngineHeader(name: "Authorization", value: "a")])
    }

    @Test func `no description holds the password`() {
        let credential = EngineCredential(user: "me", password: "secret", scheme: .basic)
        var request = world.request("http://h/")
        request.credential = credential
        for text in ["\(credential)", String(reflecting: credential), String(describing: request)] {
            #expect(!text.contains("secret"))
        }
        var text = ""
        dump(request, to: &text)
        #expect(!text.contains("secret"))
    }
}
