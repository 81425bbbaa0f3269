// Time, pause, cancel and shutdown: every transfer ends once, and none disturbs another.
import Foundation
import Testing

@testable import HTTPEngine

@Suite(.timeLimit(.minutes(1))) struct LifeTests {
    let world = EngineWorld()
    private let id = TransferID(rawValue: 1)

    private static let endless = RawServer { connection, _ in
        _ = connection.request()
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
        while connection.send([UInt8](repeating: 1, count: 8192)) { connection.wait(0.002) }
    }

    private static let silent = RawServer { connection, _ in
        _ = connection.request()
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
        connection.waitForEnd()
    }

    @Test func `silence longer than the idle time ends a transfer`() async {
        var request = world.request(Self.silent.url())
        request.idleTimeout = 0.4
        let start = MonotonicClock.now
        let outcome = await world.run(request)
        let time = MonotonicClock.now - start
        #expect(outcome.failure?.kind == .timedOut)
        #expect(outcome.bodyLength == 3)
        #expect(time > 0.4 && time < 45)
    }

    @Test func `every arrival starts the idle time again`() async {
        let server = RawServer { connection, _ in
            _ = connection.request()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n")
            for _ in 0..<8 {
                connection.wait(0.15)
                connection.send("x")
            }
        }
        var request = world.request(server.url())
        request.idleTimeout = 0.6
        #expect(await world.run(request).failure == nil)
    }

    @Test func `a pause stops the bytes and the idle time`() async {
        var request = world.request(Self.endless.url())
        request.idleTimeout = 0.5
        world.engine.start(id, request)
        await until("bytes arrive") { (world.body()?.count ?? 0) > 20_000 }
        world.engine.pause(id)
        try? await Task.sleep(nanoseconds: 200_000_000)
        let held = world.body()?.count ?? 0
        try? await Task.sleep(nanoseconds: 800_000_000)
        #expect(world.body()?.count == held)
        #expect(world.log.endings().isEmpty)
        world.engine.unpause(id)
        await until("bytes arrive again") { (world.body()?.count ?? 0) > held }
        world.engine.cancel(id)
        #expect(await world.log.outcome().failure?.kind == .cancelled)
    }

    @Test func `what was held back by a pause comes whole`() async {
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let server = RawServer { connection, _ in
            _ = connection.request()
            connection.sendBody(bytes)
        }
        world.engine.start(id, world.request(server.url()))
        for _ in 0..<20 {
            world.engine.pause(id)
            try? await Task.sleep(nanoseconds: 2_000_000)
            world.engine.unpause(id)
        }
        #expect(await world.log.outcome().failure == nil)
        #expect(world.body() == bytes)
    }

    @Test func `a paused upload goes on where it was`() async {
        let bytes = (0..<6_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let got = Box<[UInt8]>([])
        let server = RawServer { connection, _ in
            let request = connection.request()
            got.change { $0 = request?.body ?? [] }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
        var request = world.request(server.url())
        request.method = "POST"
        request.upload = world.file("source", bytes)
        world.engine.start(id, request)
        for _ in 0..<10 {
            world.engine.pause(id)
            try? await Task.sleep(nanoseconds: 5_000_000)
            world.engine.unpause(id)
        }
        let outcome = await world.log.outcome()
        #expect(outcome.failure == nil)
        #expect(got.value == bytes)
    }

    @Test func `a cancelled transfer ends once and keeps its bytes`() async {
        world.engine.start(id, world.request(Self.endless.url()))
        await until("bytes arrive") { (world.body()?.count ?? 0) > 20_000 }
        for _ in 0..<5 { world.engine.cancel(id) }
        let outcome = await world.log.outcome()
        #expect(outcome.failure?.kind == .cancelled)
        try? await Task.sleep(nanoseconds: 100_000_000)
        #expect(world.log.endings().count == 1)
        #expect(Int64(world.body()?.count ?? 0) == outcome.bodyLength)
    }

    @Test func `cancelling does not wait for a name lookup`() async {
        world.engine.start(id, world.request("http://slow-lookup.invalid/"))
        world.engine.cancel(id)
        #expect(await world.log.outcome().failure != nil)
    }

    @Test func `progress comes at most four times a second and none while nothing moves`() async {
        let start = MonotonicClock.now
        world.engine.start(id, world.request(Self.endless.url()))
        try? await Task.sleep(nanoseconds: 1_200_000_000)
        let count = world.log.progress.count
        #expect(count >= 3 && Double(count) <= 4 * (MonotonicClock.now - start) + 1)
        world.engine.cancel(id)
        _ = await world.log.outcome()
        let quiet = world.log.reports.count
        world.engine.start(TransferID(rawValue: 2), world.request(Self.silent.url()))
        try? await Task.sleep(nanoseconds: 1_000_000_000)
        let news = world.log.reports.count - quiet
        #expect(news == 2, "the head and one report of progress")
    }

    @Test func `a hundred transfers at once all arrive`() async {
        let server = RawServer { connection, _ in
            while let request = connection.request() {
                let number = Int(request.target.dropFirst()) ?? 0
                connection.sendBody([UInt8](repeating: UInt8(number), count: 10_000 + number))
            }
        }
        for number in UInt64(0)..<100 {
            var request = world.request(server.url("/\(number)"))
            request.sink = world.folder + "/\(number)"
            world.engine.start(TransferID(rawValue: number), request)
        }
        await until("all have ended") { world.log.endingCount == 100 }
        for number in 0..<100 {
            #expect(world.log.endings(UInt64(number)).map { $0.failure } == [nil])
            let bytes = world.body(world.folder + "/\(number)")
            #expect(bytes?.count == 10_000 + number && bytes?.allSatisfy { $0 == UInt8(number) } == true)
        }
    }

    @Test func `connections are used again`() async {
        let server = RawServer(always: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
        let first = await world.run(world.request(server.url()), 1)
        let second = await world.run(world.request(server.url()), 2)
        #expect(!first.metrics.reusedConnection)
        #expect(second.metrics.reusedConnection)
        #expect(second.metrics.localPort == first.metrics.localPort)
    }

    @Test func `a limit is kept`() async {
        let bytes = [UInt8](repeating: 1, count: 300_000)
        let server = RawServer { connection, _ in
            _ = connection.request()
            connection.sendBody(bytes)
        }
        var request = world.request(server.url())
        request.bytesPerSecond = 200_000
        let start = MonotonicClock.now
        #expect(await world.run(request).failure == nil)
        let time = MonotonicClock.now - start
        #expect(time > 0.9 && time < 45)
    }

    @Test func `shutdown ends what runs and nothing starts after it`() async {
        for number in UInt64(1)...5 {
            var request = world.request(Self.endless.url())
            request.sink += "\(number)"
            world.engine.start(TransferID(rawValue: number), request)
        }
        await until("bytes arrive") { (world.body(world.sink + "5")?.count ?? 0) > 0 }
        world.engine.shutdown()
        #expect((UInt64(1)...5).allSatisfy { world.log.endings($0).map { $0.failure?.kind } == [.cancelled] })
        world.engine.start(TransferID(rawValue: 9), world.request(Self.endless.url()))
        #expect(world.log.endings(9).map { $0.failure?.kind } == [.cancelled])
        world.engine.shutdown()
    }
}
