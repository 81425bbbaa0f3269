// Sending a file: exactly its bytes, or an error that says what became of it.
import Foundation
import Testing

@testable import HTTPEngine

@Suite(.timeLimit(.minutes(1))) struct UploadTests {
    let world = EngineWorld()
    let bytes = (0..<500_000).map { UInt8(truncatingIfNeeded: $0 &* 17) }

    @Test(arguments: ["PUT", "POST", "PATCH"])
    func `the file is sent exactly, under the method asked for`(_ method: String) async {
        let got = Box<RawRequest?>(nil)
        let server = RawServer { connection, _ in
            let request = connection.request()
            got.change { $0 = request }
            connection.send("HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok")
        }
        var request = world.request(server.url("/up"))
        request.method = method
        request.upload = world.file("source", bytes)
        let outcome = await world.run(request)
        #expect(outcome.failure == nil)
        #expect(outcome.head?.status == 201)
        #expect(outcome.sent == 500_000)
        #expect(world.body() == Array("ok".utf8))
        #expect(got.value?.line == "\(method) /up HTTP/1.1")
        #expect(got.value?.body == bytes)
        #expect(got.value?.value("Content-Length") == "500000")
        #expect(got.value?.value("Content-Type") == nil)
        #expect(got.value?.value("Expect") == nil)
        #expect(got.value?.value("Transfer-Encoding") == nil)
    }

    @Test func `an empty file is an empty body`() async {
        let got = Box<RawRequest?>(nil)
        let server = RawServer { connection, _ in
            let request = connection.request()
            got.change { $0 = request }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
        var request = world.request(server.url())
        request.method = "PUT"
        request.headers = [EngineHeader(name: "Content-Type", value: "text/plain")]
        request.upload = world.file("empty", [])
        let outcome = await world.run(request)
        #expect(outcome.failure == nil)
        #expect(got.value?.value("Content-Length") == "0")
        #expect(got.value?.value("Content-Type") == "text/plain")
    }

    @Test func `a 307 has the body sent again, a 303 has it dropped`() async {
        let got = Box<[RawRequest]>([])
        let server = RawServer { connection, _ in
            while let request = connection.request() {
                got.change { $0.append(request) }
                let status = ["/a": "307 Again\r\nLocation: /b", "/b": "303 See\r\nLocation: /c"][
                    request.target]
                connection.send("HTTP/1.1 \(status ?? "200 OK")\r\nContent-Length: 0\r\n\r\n")
            }
        }
        var request = world.request(server.url("/a"))
        request.method = "PUT"
        request.headers = [EngineHeader(name: "Content-Type", value: "text/plain")]
        request.upload = world.file("source", bytes)
        let outcome = await world.run(request)
        #expect(outcome.failure == nil)
        #expect(got.value.map(\.line) == ["PUT /a HTTP/1.1", "PUT /b HTTP/1.1", "GET /c HTTP/1.1"])
        #expect(got.value.map(\.body.count) == [500_000, 500_000, 0])
        #expect(got.value.prefix(2).allSatisfy { $0.body == bytes })
        #expect(got.value.last?.value("Content-Type") == nil)
        #expect(outcome.sent == 500_000)
    }

    @Test(arguments: [
        ("POST", 301, "GET"), ("POST", 302, "GET"), ("PUT", 302, "PUT"), ("DELETE", 303, "GET"),
    ])
    func `redirects change the method where the rules say so`(_ method: String, _ status: Int, _ next: String)
        async
    {
        let lines = Box<[String]>([])
        let server = RawServer { connection, _ in
            while let request = connection.request() {
                lines.change { $0.append(request.line) }
                connection.send(
                    request.target == "/a"
                        ? "HTTP/1.1 \(status) X\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n"
                        : "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        }
        var request = world.request(server.url("/a"))
        request.method = method
        if method != "DELETE" { request.upload = world.file("source", [1, 2, 3]) }
        let outcome = await world.run(request)
        #expect(outcome.failure == nil)
        #expect(lines.value == ["\(method) /a HTTP/1.1", "\(next) /b HTTP/1.1"])
    }

    @Test func `a missing source is never sent`() async {
        let server = RawServer(always: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        var request = world.request(server.url())
        request.method = "PUT"
        request.upload = world.file("source", bytes)
        try? FileManager.default.removeItem(atPath: world.folder + "/source")
        let outcome = await world.run(request)
        #expect(outcome.failure?.kind == .sourceMissing)
        #expect(outcome.failure?.path == world.folder + "/source")
    }

    @Test func `a source that changed before the start is never sent`() async {
        let server = RawServer(always: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        var request = world.request(server.url())
        request.method = "PUT"
        request.upload = world.file("source", bytes)
        request.upload?.modifiedNanoseconds += 1
        #expect(await world.run(request).failure?.kind == .sourceChanged)
    }

    /// A server that begins to read, then lets the test change the source, then reads on.
    private func runChanging(_ change: @escaping @Sendable (String) -> Void) async -> EngineOutcome {
        let big = world.file("big", [UInt8](repeating: 1, count: 12 << 20))
        let server = RawServer(receiveBuffer: 65536) { connection, _ in
            _ = connection.head()
            _ = connection.read(1 << 20)
            change(big.path)
            while !connection.read(1 << 20).isEmpty {}
        }
        var request = world.request(server.url())
        request.method = "PUT"
        request.upload = big
        return await world.run(request)
    }

    @Test func `a source removed while it is sent is missed`() async {
        let outcome = await runChanging { try? FileManager.default.removeItem(atPath: $0) }
        #expect(outcome.failure?.kind == .sourceMissing)
        #expect(outcome.failure?.path == world.folder + "/big")
    }

    @Test func `a source changed while it is sent is noticed`() async {
        let outcome = await runChanging {
            let file = open($0, O_WRONLY | O_APPEND)
            write(file, "x", 1)
            close(file)
        }
        #expect(outcome.failure?.kind == .sourceChanged)
    }

    @Test func `a source replaced while it is sent is noticed`() async {
        let outcome = await runChanging {
            _ = FileManager.default.createFile(atPath: $0 + ".new", contents: Data(count: 12 << 20))
            rename($0 + ".new", $0)
        }
        #expect(outcome.failure?.kind == .sourceChanged)
    }

    @Test func `an early refusal is the answer, not a broken pipe`() async {
        let big = world.file("big", [UInt8](repeating: 1, count: 12 << 20))
        let server = RawServer { connection, _ in
            _ = connection.head()
            connection.send("HTTP/1.1 413 Too Large\r\nContent-Length: 5\r\nConnection: close\r\n\r\nlarge")
        }
        for number in UInt64(1)...20 {
            var request = world.request(server.url())
            request.method = "PUT"
            request.upload = big
            let outcome = await world.run(request, number)
            #expect(outcome.failure == nil)
            #expect(outcome.head?.status == 413)
            #expect(world.body() == Array("large".utf8))
            #expect(outcome.sent < 12 << 20)
        }
    }

    @Test func `sent follows what the server reads, not what the kernel holds`() async {
        let size = 3 << 20
        let mayRead = Box(false)
        let server = RawServer(receiveBuffer: 65536) { connection, number in
            if number == 0 {
                // The first connection is used again: its socket must still be found.
                _ = connection.request()
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                _ = connection.head()
                while !mayRead.value { connection.wait(0.01) }
                _ = connection.read(size)
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                connection.waitForEnd()
            }
        }
        _ = await world.run(server.url())
        var request = world.request(server.url())
        request.method = "PUT"
        request.upload = world.file("big", [UInt8](repeating: 1, count: size))
        world.engine.start(TransferID(rawValue: 2), request)
        await until("progress is told") { world.log.progress.last?.first?.id.rawValue == 2 }
        try? await Task.sleep(nanoseconds: 600_000_000)
        let held = world.log.progress.flatMap { $0 }.last?.sent ?? 0
        mayRead.change { $0 = true }
        let outcome = await world.log.outcome(2)
        #expect(outcome.failure == nil)
        #expect(outcome.metrics.reusedConnection)
        #expect(outcome.sent == Int64(size))
        let sent = world.log.progress.flatMap { $0 }.map(\.sent)
        #expect(sent == sent.sorted())
        #expect(held < 1 << 20, "the peer's buffer may hold some, this side's must not count")
    }
}
