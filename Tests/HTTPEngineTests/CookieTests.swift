// Cookies: kept in a private file, sent where they belong, taken from whom they may be taken.
import Foundation
import Testing

@testable import HTTPEngine

@Suite(.timeLimit(.minutes(1))) struct CookieTests {
    let world = EngineWorld()
    var jar: String { world.folder + "/cookies/1" }

    /// Gives each path's cookie, and keeps what it was asked.
    private func server(_ cookies: [String: String], keeping got: Box<[RawRequest]> = Box([])) -> RawServer {
        RawServer { connection, _ in
            while let request = connection.request() {
                got.change { $0.append(request) }
                let cookie = cookies[request.target].map { "Set-Cookie: \($0)\r\n" } ?? ""
                connection.send("HTTP/1.1 200 OK\r\n\(cookie)Content-Length: 0\r\n\r\n")
            }
        }
    }

    /// Those of one path come in no order that matters.
    private static func cookies(_ request: RawRequest) -> [String] {
        (request.value("Cookie") ?? "").components(separatedBy: "; ").filter { !$0.isEmpty }.sorted()
    }

    @discardableResult
    private func ask(
        _ url: String, _ number: UInt64, _ cookies: EngineCookies?, own: String? = nil
    ) async -> EngineOutcome {
        var request = world.request(url)
        request.cookies = cookies
        if let own { request.headers = [EngineHeader(name: "Cookie", value: own)] }
        return await world.run(request, number)
    }

    @Test func `what one transfer is given the next one sends`() async {
        let got = Box<[RawRequest]>([])
        let server = server(
            ["/a/in": "s=1; Path=/a", "/b": "t=2; Path=/; Expires=Wed, 01 Jan 2098 00:00:00 GMT"],
            keeping: got)
        let cookies = EngineCookies(jar: jar)
        for (number, path) in ["/a/in", "/b", "/a/x", "/c"].enumerated() {
            await ask(server.url(path), UInt64(number + 1), cookies)
        }
        #expect(got.value.map { $0.value("Cookie") } == [nil, nil, "s=1; t=2", "t=2"])
    }

    @Test func `they are on disk, for nobody else, and outlive the engine`() async throws {
        let server = server(["/set": "s=1; Path=/; HttpOnly"])
        await ask(server.url("/set"), 1, EngineCookies(jar: jar))
        var status = stat()
        #expect(stat(jar, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        let got = Box<[RawRequest]>([])
        let other = self.server([:], keeping: got)
        // Cookies do not tell ports apart (RFC 6265 §8.5).
        let next = HTTPEngine { _ in }
        defer { next.shutdown() }
        var request = world.request(other.url("/x"))
        request.cookies = EngineCookies(jar: jar)
        next.start(TransferID(rawValue: 1), request)
        await until("the next engine asked") { !got.value.isEmpty }
        #expect(got.value.first?.value("Cookie") == "s=1")
    }

    @Test func `a cookie that the server takes back is gone`() async {
        let got = Box<[RawRequest]>([])
        let server = server(
            ["/set": "s=1; Path=/", "/end": "s=; Path=/; Max-Age=0"], keeping: got)
        let cookies = EngineCookies(jar: jar)
        await ask(server.url("/set"), 1, cookies)
        let outcome = await ask(server.url("/end"), 2, cookies)
        #expect(outcome.cookies.removed.count == 1)
        await ask(server.url("/x"), 3, cookies)
        #expect(got.value.last?.value("Cookie") == nil)
    }

    @Test func `nothing is taken where nothing is accepted, and nothing sent that should not be`() async {
        let got = Box<[RawRequest]>([])
        let server = server(["/set": "s=1; Path=/", "/more": "t=2; Path=/"], keeping: got)
        await ask(server.url("/set"), 1, EngineCookies(jar: jar))
        await ask(server.url("/more"), 2, EngineCookies(jar: jar, accepts: .never))
        await ask(server.url("/x"), 3, EngineCookies(jar: jar))
        await ask(server.url("/x"), 4, EngineCookies(jar: jar, sends: false))
        await ask(server.url("/x"), 5, EngineCookies(jar: jar), own: "mine=1")
        await ask(server.url("/more"), 6, EngineCookies(jar: jar, sends: false))
        await ask(server.url("/x"), 7, EngineCookies(jar: jar))
        await ask(server.url("/x"), 8, nil)
        #expect(
            got.value.map(Self.cookies)
                == [[], ["s=1"], ["s=1"], [], ["mine=1"], [], ["s=1", "t=2"], []])
    }

    @Test func `a host that is not the main document's gives none`() async {
        let got = Box<[RawRequest]>([])
        let server = server(["/set": "s=1; Path=/", "/x": "u=3; Path=/"], keeping: got)
        await ask(server.url("/set"), 1, EngineCookies(jar: jar, accepts: .fromHostOf("example.org")))
        await ask(server.url("/x"), 2, EngineCookies(jar: jar, accepts: .fromHostOf("127.0.0.1")))
        await ask(server.url("/y"), 3, EngineCookies(jar: jar))
        #expect(got.value.map { $0.value("Cookie") } == [nil, nil, "u=3"])
        #expect(EngineCookies(jar: nil, accepts: .fromHostOf("a.example")).accepts(from: "http://example/"))
        #expect(!EngineCookies(jar: nil, accepts: .fromHostOf("badexample")).accepts(from: "http://example/"))
    }

    @Test func `a cookie of a redirect goes along to its target`() async {
        let got = Box<[RawRequest]>([])
        let server = RawServer { connection, _ in
            while let request = connection.request() {
                got.change { $0.append(request) }
                connection.send(
                    request.target == "/from"
                        ? "HTTP/1.1 302 F\r\nLocation: /to\r\nSet-Cookie: s=1; Path=/\r\nContent-Length: 0\r\n\r\n"
                        : "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        }
        let outcome = await ask(server.url("/from"), 1, EngineCookies(jar: nil))
        #expect(got.value.last?.value("Cookie") == "s=1")
        #expect(outcome.cookies.added.count == 1)
    }

    @Test func `an emptied jar is gone from memory and disk`() async {
        let got = Box<[RawRequest]>([])
        let server = server(["/set": "s=1; Path=/"], keeping: got)
        await ask(server.url("/set"), 1, EngineCookies(jar: jar))
        world.engine.emptyJar(jar)
        await ask(server.url("/x"), 2, EngineCookies(jar: jar))
        #expect(got.value.last?.value("Cookie") == nil)
        #expect(!FileManager.default.fileExists(atPath: jar))
    }

    /// A transfer may be under way when its jar is emptied.
    @Test func `a jar that was emptied takes nothing more, and its file does not come back`() {
        let owner = ThreadOwner()
        owner.becomeOwner()
        let emptied = CookieJar(path: jar, owner: owner)
        emptied.close()
        var changes = CookieChanges()
        changes.added = [["127.0.0.1", "FALSE", "/", "FALSE", "0", "s", "1"].joined(separator: "\t")]
        emptied.take(changes)
        #expect(emptied.lines.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: jar))
    }

    @Test func `given cookies are sent and nothing is written`() async {
        let got = Box<[RawRequest]>([])
        let server = server([:], keeping: got)
        let line = ["127.0.0.1", "FALSE", "/", "FALSE", "0", "g", "7"].joined(separator: "\t")
        await ask(server.url("/"), 1, EngineCookies(jar: nil, given: [line]))
        #expect(got.value.first?.value("Cookie") == "g=7")
    }
}
