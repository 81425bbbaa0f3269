// Bodies and how they end: what comes must be on disk, and what did not come must not be called success.
import Foundation
import Testing

@testable import HTTPEngine

@Suite(.timeLimit(.minutes(1))) struct DownloadTests {
    let world = EngineWorld()

    @Test func `a plain body is on disk byte for byte`() async {
        let bytes = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let server = RawServer { connection, _ in
            _ = connection.request()
            connection.sendBody(bytes, head: "HTTP/1.1 200 OK\r\nX-A: 1\r\nx-a: 2\r\nX-Empty:\r\n")
        }
        let outcome = await world.run(server.url("/file"))
        #expect(outcome.failure == nil)
        #expect(world.body() == bytes)
        #expect(outcome.bodyLength == 700_000)
        #expect(outcome.head?.status == 200)
        #expect(outcome.head?.version == "HTTP/1.1")
        #expect(outcome.head?.url == server.url("/file"))
        #expect(outcome.head?.values(of: "X-A") == ["1", "2"])
        #expect(outcome.head?.values(of: "x-empty") == [""])
        #expect(outcome.metrics.remotePort == Int(server.port))
        #expect(outcome.metrics.bytesReceived == 700_000)
        #expect(outcome.metrics.protocolName == "http/1.1")
        #expect(!outcome.isCloseDelimited)
    }

    @Test func `bytes are on disk as soon as they came`() async {
        let server = RawServer { connection, _ in
            _ = connection.request()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
            connection.waitForEnd()
        }
        // The server says no more: however long the test is kept waiting, that is no time-out.
        var request = world.request(server.url())
        request.idleTimeout = 120
        world.engine.start(TransferID(rawValue: 1), request)
        await until("five bytes are on disk") { world.body()?.count == 5 }
        await until("progress tells of them") { world.log.progress.last?.first?.bodyLength == 5 }
        #expect(world.log.progress.last?.first?.expected == 10)
        #expect(world.log.endings().isEmpty)
    }

    @Test func `the sink is private to its user`() async throws {
        let server = RawServer(always: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
        _ = await world.run(server.url())
        var status = stat()
        stat(world.sink, &status)
        #expect(status.st_mode & 0o777 == 0o600)
    }

    @Test func `a body that ends too early is truncated and keeps what came`() async {
        let server = RawServer { connection, _ in
            _ = connection.request()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhell")
        }
        let outcome = await world.run(server.url())
        #expect(outcome.failure?.kind == .truncated)
        #expect(outcome.failure?.curlCode == 18)
        #expect(outcome.bodyLength == 4)
        #expect(world.body() == Array("hell".utf8))
    }

    @Test func `a chunked body is put together and its trailers are not taken for a head`() async {
        let server = RawServer(
            always: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n"
                + "4\r\nabcd\r\n3;ext=1\r\nefg\r\n0\r\nX-Sum: 7\r\n\r\n")
        let outcome = await world.run(server.url())
        #expect(outcome.failure == nil)
        #expect(world.body() == Array("abcdefg".utf8))
        #expect(outcome.head?.bodyLength == nil)
        #expect(outcome.head?.isCloseDelimited == false)
        #expect(world.log.heads.count == 1)
    }

    @Test func `an unfinished chunked body is truncated`() async {
        let server = RawServer { connection, _ in
            _ = connection.request()
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n")
        }
        let outcome = await world.run(server.url())
        #expect(outcome.failure?.kind == .truncated)
        #expect(outcome.bodyLength == 4)
    }

    @Test func `a body that only the connection's end delimits is accepted and marked`() async {
        let server = RawServer { connection, _ in
            _ = connection.request()
            connection.send("HTTP/1.0 200 OK\r\n\r\nall of it")
        }
        let outcome = await world.run(server.url())
        #expect(outcome.failure == nil)
        #expect(outcome.isCloseDelimited)
        #expect(world.body() == Array("all of it".utf8))
    }

    @Test func `a reset connection is lost, not truncated`() async {
        let server = RawServer { connection, _ in
            _ = connection.request()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhell")
            connection.wait(0.1)
            connection.reset()
        }
        let outcome = await world.run(server.url())
        #expect(outcome.failure?.kind == .connectionLost)
        #expect(outcome.failure?.osError == ECONNRESET)
        #expect(outcome.failure?.message == "connection reset")
        #expect(outcome.bodyLength == 4)
    }

    @Test func `a connection closed without an answer is lost`() async {
        let server = RawServer { connection, _ in _ = connection.request() }
        let outcome = await world.run(server.url())
        #expect(outcome.failure?.kind == .connectionLost)
        #expect(outcome.failure?.curlCode == 52)
    }

    @Test(arguments: ["204 No Content\r\n", "304 Not Modified\r\n", "200 OK\r\nContent-Length: 0\r\n"])
    func `an answer without a body leaves an empty sink`(_ status: String) async {
        _ = FileManager.default.createFile(atPath: world.sink, contents: Data("old".utf8))
        let server = RawServer(always: "HTTP/1.1 \(status)\r\n")
        let outcome = await world.run(server.url())
        #expect(outcome.failure == nil)
        #expect(outcome.head?.hasBody == false)
        #expect(world.body() == [])
        #expect(outcome.bodyLength == 0)
    }

    @Test func `a HEAD request has no body to wait for`() async {
        let server = RawServer(always: "HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n")
        var request = world.request(server.url())
        request.method = "HEAD"
        let outcome = await world.run(request)
        #expect(outcome.failure == nil)
        #expect(outcome.head?.hasBody == false)
        #expect(outcome.bodyLength == 0)
    }

    @Test func `informational answers are not the answer`() async {
        let server = RawServer(
            always:
                "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        )
        let outcome = await world.run(server.url())
        #expect(outcome.head?.status == 200)
        #expect(outcome.head?.values(of: "Link").isEmpty == true)
        #expect(world.log.heads.count == 1)
        #expect(world.body() == Array("ok".utf8))
    }

    @Test func `two different lengths are a bad answer`() async {
        let server = RawServer { connection, _ in
            _ = connection.request()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde")
        }
        let outcome = await world.run(server.url())
        #expect(outcome.failure?.kind == .badResponse)
        #expect(world.body() == nil)
    }

    @Test func `a length that is no number is a bad answer`() async {
        let server = RawServer { connection, _ in
            _ = connection.request()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nabcde")
        }
        #expect(await world.run(server.url()).failure?.kind == .badResponse)
    }

    @Test func `an error's page is a body like any other`() async {
        let server = RawServer(always: "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone")
        let outcome = await world.run(server.url())
        #expect(outcome.failure == nil)
        #expect(outcome.head?.status == 404)
        #expect(world.body() == Array("gone".utf8))
    }

    @Test func `an answer that is not HTTP is a bad answer`() async {
        let server = RawServer { connection, _ in
            _ = connection.request()
            connection.send("SSH-2.0-OpenSSH\r\n")
        }
        let outcome = await world.run(server.url())
        #expect(outcome.failure?.kind == .badResponse)
    }

    @Test func `a compressed body that nobody asked for is decoded`() async {
        // "hello\n", gzip.
        let zipped: [UInt8] = [
            0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0xe7, 2, 0, 0x20, 0x30, 0x3a,
            0x36,
            6, 0, 0, 0,
        ]
        let asked = Box("")
        let server = RawServer { connection, _ in
            asked.change { $0 = connection.request()?.value("Accept-Encoding") ?? "" }
            connection.sendBody(zipped, head: "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n")
        }
        let outcome = await world.run(server.url())
        #expect(outcome.failure == nil)
        #expect(asked.value == "identity")
        #expect(world.body() == Array("hello\n".utf8))
        #expect(outcome.head?.bodyLength == nil)
    }

    @Test func `a body in a broken encoding cannot be decoded`() async {
        let server = RawServer { connection, _ in
            _ = connection.request()
            connection.sendBody(
                Array("not gzip at all".utf8), head: "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n")
        }
        let outcome = await world.run(server.url())
        #expect(outcome.failure?.kind == .cannotDecode)
    }
}
