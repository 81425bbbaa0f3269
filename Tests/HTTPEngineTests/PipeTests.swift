// Bodies that somebody reads as they come, through a named pipe.
import Foundation
import Testing

@testable import HTTPEngine

@Suite struct PipeTests {
    private let world = EngineWorld()

    /// A request whose body goes into a pipe, and the pipe's other end.
    private func request(_ url: String) throws -> (request: EngineRequest, reader: Int32) {
        var request = world.request(url)
        request.sinkIsPipe = true
        unlink(request.sink)
        #expect(mkfifo(request.sink, 0o600) == 0)
        let reader = open(request.sink, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(reader >= 0)
        return (request, reader)
    }

    /// Reads to the end, some bytes at a time.
    private func read(_ reader: Int32, _ count: Int) async -> [UInt8] {
        var all: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: count)
        var hasBegun = false
        let deadline = MonotonicClock.now + 60
        while MonotonicClock.now < deadline {
            let got = Foundation.read(reader, &piece, count)
            if got > 0 { all += piece.prefix(got) }
            // Before the other end is opened it looks like the end.
            if got == 0, hasBegun { return all }
            hasBegun = hasBegun || got != 0
            if got <= 0 { try? await Task.sleep(nanoseconds: 1_000_000) }
        }
        Issue.record("the pipe did not end")
        return all
    }

    @Test
    func `a body that is kept aside is in the outcome and not in the pipe, and one too large is refused`()
        async throws
    {
        let server = RawServer { connection, _ in
            _ = connection.request()
            connection.sendBody(Array("who is there?".utf8))
        }
        for (limit, number) in [(13, UInt64(1)), (12, 2)] {
            var (request, reader) = try request(server.url())
            defer { close(reader) }
            request.judge = { _ in .keepAside(atMost: limit) }
            let outcome = await world.run(request, number)
            #expect(outcome.keptBody == (limit == 13 ? Array("who is there?".utf8) : nil))
            #expect(outcome.failure?.kind == (limit == 13 ? nil : .refused))
            #expect(outcome.bodyLength == 0)
            var byte: UInt8 = 0
            #expect(Foundation.read(reader, &byte, 1) == 0)
        }
    }

    private static let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }

    @Test(arguments: [100_000, 4096, 997])
    func `every byte goes through the pipe in order, however it is read`(_ count: Int) async throws {
        let server = RawServer { connection, _ in
            _ = connection.request()
            connection.sendBody(Self.bytes)
        }
        let (request, reader) = try request(server.url())
        defer { close(reader) }
        world.engine.start(TransferID(rawValue: 1), request)
        await until("the head came") { !world.log.heads.isEmpty }
        let got = await read(reader, count)
        #expect(got == Self.bytes)
        let outcome = await world.log.outcome()
        #expect(outcome.failure == nil)
        #expect(outcome.bodyLength == Int64(Self.bytes.count))
        #expect(outcome.transactions.last?.bytesDecoded == Int64(Self.bytes.count))
    }

    /// On a busy machine the head itself may take longer than a short idle time; then a longer one is tried.
    @Test func `a reader that does not read holds the transfer for longer than its idle time`() async throws {
        let server = RawServer { connection, _ in
            _ = connection.request()
            connection.sendBody(Self.bytes)
        }
        for idle in [0.5, 4, 16] {
            var (request, reader) = try request(server.url())
            defer { close(reader) }
            request.idleTimeout = idle
            let id = UInt64(idle * 2)
            world.engine.start(TransferID(rawValue: id), request)
            await until("it has a head or has ended") {
                !world.log.heads.isEmpty || !world.log.endings(id).isEmpty
            }
            if world.log.heads.isEmpty { continue }
            try await Task.sleep(nanoseconds: UInt64(1.5 * idle * 1e9))
            #expect(world.log.endings(id).isEmpty)
            #expect(await read(reader, 65536) == Self.bytes)
            #expect(await world.log.outcome(id).failure == nil)
            return
        }
        Issue.record("no head came within 16 s of silence")
    }

    @Test func `a reader that leaves ends the transfer, also one that is held`() async throws {
        let server = RawServer { connection, _ in
            _ = connection.request()
            connection.sendBody(Self.bytes)
        }
        let (request, reader) = try request(server.url())
        world.engine.start(TransferID(rawValue: 1), request)
        await until("the head came") { !world.log.heads.isEmpty }
        close(reader)
        #expect(await world.log.outcome().failure?.kind == .readerGone)
    }

    @Test func `without a reader nothing begins`() async throws {
        let server = RawServer(always: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
        let (request, reader) = try request(server.url())
        close(reader)
        #expect(await world.run(request).failure?.kind == .readerGone)
    }

    @Test func `a pause and a full pipe are two things`() async throws {
        let server = RawServer { connection, _ in
            _ = connection.request()
            connection.sendBody(Self.bytes)
        }
        let (request, reader) = try request(server.url())
        defer { close(reader) }
        let id = TransferID(rawValue: 1)
        world.engine.start(id, request)
        await until("the head came") { !world.log.heads.isEmpty }
        world.engine.pause(id)
        world.engine.unpause(id)
        world.engine.pause(id)
        async let got = read(reader, 65536)
        try await Task.sleep(nanoseconds: 200_000_000)
        #expect(world.log.endings().isEmpty)
        world.engine.unpause(id)
        #expect(await got == Self.bytes)
    }
}
