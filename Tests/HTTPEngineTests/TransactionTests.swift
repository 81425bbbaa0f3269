// What was measured of each request of a transfer.
import Foundation
import Testing

@testable import HTTPEngine

@Suite(.timeLimit(.minutes(1))) struct TransactionTests {
    let world = EngineWorld()

    @Test func `each redirect is a request of its own`() async throws {
        let server = RawServer { connection, _ in
            while let request = connection.request() {
                connection.send(
                    request.target == "/from"
                        ? "HTTP/1.1 303 See\r\nLocation: /to\r\nContent-Length: 4\r\n\r\nbody"
                        : "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-More: yes\r\n\r\nhello")
            }
        }
        var request = world.request(server.url("/from"))
        request.method = "POST"
        request.upload = world.file("up", Array("abc".utf8))
        let outcome = await world.run(request)
        try #require(outcome.transactions.count == 2)
        let (first, last) = (outcome.transactions[0], outcome.transactions[1])
        #expect(first.url == server.url("/from"))
        #expect(first.method == "POST")
        #expect(first.head?.status == 303)
        #expect(first.metrics.bytesSent == 3)
        #expect(first.metrics.connections == 1)
        #expect(first.metrics.connect > 0)
        #expect(first.requestEnd > 0)
        #expect(first.start == 0)
        #expect(last.url == server.url("/to"))
        #expect(last.method == "GET")
        #expect(last.head == outcome.head)
        #expect(last.metrics.reusedConnection)
        #expect(last.metrics.bytesReceived == 5)
        #expect(last.bytesDecoded == 5)
        #expect(last.start >= first.metrics.preTransfer)
        #expect(last.metrics.startTransfer > 0)
        #expect(last.duration >= last.metrics.startTransfer * 0.5)
        #expect(last.metrics.protocolName == "http/1.1")
        #expect(last.metrics.remotePort == Int(server.port))
        #expect(!last.usedProxy)
        let sum = first.metrics.requestHeaderBytes + last.metrics.requestHeaderBytes
        #expect(sum == outcome.metrics.requestHeaderBytes)
        #expect(first.metrics.responseHeaderBytes > 0 && last.metrics.responseHeaderBytes > 0)
    }

    @Test func `a request that nobody answered has no head`() async throws {
        let server = RawServer { connection, _ in _ = connection.request() }
        let outcome = await world.run(server.url())
        #expect(outcome.failure?.kind == .connectionLost)
        let one = try #require(outcome.transactions.first)
        #expect(one.head == nil)
        #expect(one.metrics.requestHeaderBytes > 0)
    }

    @Test func `a request through a proxy says so`() async throws {
        let proxy = RawServer(always: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        var request = world.request("http://nowhere.invalid/")
        request.proxies = EngineProxies(http: proxy.url())
        #expect(await world.run(request).transactions.first?.usedProxy == true)
    }

    @Test func `a transfer that never came to libcurl made no request`() async {
        #expect(await world.run("gopher://127.0.0.1/").transactions.isEmpty)
    }
}
