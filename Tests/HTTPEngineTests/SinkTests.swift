// The judge's word, and what happens to the file it is about.
import Foundation
import Testing

@testable import HTTPEngine

@Suite(.timeLimit(.minutes(1))) struct SinkTests {
    let world = EngineWorld()
    let server = RawServer(
        always: "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 3-5/6\r\nContent-Length: 3\r\n\r\ndef")

    private func run(_ disposition: BodyDisposition) async -> EngineOutcome {
        _ = FileManager.default.createFile(atPath: world.sink, contents: Data("abc".utf8))
        var request = world.request(server.url())
        request.judge = { _ in disposition }
        return await world.run(request)
    }

    @Test func `append writes at the sink's end`() async {
        let outcome = await run(.append(until: 6))
        #expect(outcome.failure == nil)
        #expect(outcome.bodyLength == 6)
        #expect(outcome.head?.bodyLength == 3)
        #expect(world.body() == Array("abcdef".utf8))
    }

    @Test func `a part that goes on beyond its range is not written, and refused`() async {
        let outcome = await run(.append(until: 5))
        #expect(outcome.failure?.kind == .refused)
        #expect(outcome.bodyLength <= 5)
        #expect(world.body() == Array("abc".utf8))
    }

    @Test func `a chunked part that goes on beyond its range is refused too`() async {
        let server = RawServer(
            always: "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 3-4/6\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n2\r\nde\r\n1\r\nf\r\n0\r\n\r\n")
        _ = FileManager.default.createFile(atPath: world.sink, contents: Data("abc".utf8))
        var request = world.request(server.url())
        request.judge = { _ in .append(until: 5) }
        let outcome = await world.run(request)
        #expect(outcome.failure?.kind == .refused)
        #expect(world.body() == Array("abcde".utf8) || world.body() == Array("abc".utf8))
    }

    @Test func `replace empties the sink first`() async {
        let outcome = await run(.replace)
        #expect(outcome.bodyLength == 3)
        #expect(world.body() == Array("def".utf8))
    }

    @Test func `refuse touches nothing`() async {
        let outcome = await run(.refuse)
        #expect(outcome.failure?.kind == .refused)
        #expect(outcome.head?.status == 206)
        #expect(outcome.bodyLength == 3)
        #expect(world.body() == Array("abc".utf8))
        #expect(world.log.heads.count == 1)
    }

    @Test func `the page of a refused 416 is never written`() async {
        let server = RawServer(
            always:
                "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */3\r\nContent-Length: 4\r\n\r\npage"
        )
        _ = FileManager.default.createFile(atPath: world.sink, contents: Data("abc".utf8))
        var request = world.request(server.url())
        request.headers = [EngineHeader(name: "Range", value: "bytes=3-")]
        request.judge = { $0.status == 416 ? .refuse : .append(until: 9) }
        let outcome = await world.run(request)
        #expect(outcome.failure?.kind == .refused)
        #expect(outcome.head?.values(of: "Content-Range") == ["bytes */3"])
        #expect(world.body() == Array("abc".utf8))
    }

    @Test func `a sink that cannot be opened ends its transfer only`() async {
        var broken = world.request(server.url())
        broken.sink = world.folder + "/no/such/folder"
        let failed = await world.run(broken, 1)
        #expect(failed.failure?.kind == .bodyFileCannotOpen)
        #expect(failed.failure?.osError == ENOENT)
        #expect(failed.failure?.path == broken.sink)
        let fine = await world.run(world.request(server.url()), 2)
        #expect(fine.failure == nil)
    }

    @Test func `a full disk ends its transfer only`() async {
        var full = world.request(server.url())
        full.sink = "/dev/full"
        let failed = await world.run(full, 1)
        #expect(failed.failure?.kind == .bodyFileNoSpace)
        #expect(failed.failure?.osError == ENOSPC)
        let fine = await world.run(world.request(server.url()), 2)
        #expect(fine.failure == nil)
    }

    @Test func `growing bodies are synced and say how far`() async {
        let piece = [UInt8](repeating: 7, count: 1 << 20)
        let server = RawServer { connection, _ in
            _ = connection.request()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(30 << 20)\r\n\r\n")
            for _ in 0..<20 { connection.send(piece) }
            connection.waitForEnd()
        }
        world.engine.start(TransferID(rawValue: 1), world.request(server.url()))
        await until("all that came is synced") { world.log.synced.last == 20 << 20 }
        #expect(world.log.synced == world.log.synced.sorted())
    }
}
