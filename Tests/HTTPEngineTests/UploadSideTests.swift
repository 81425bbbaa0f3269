// The sending half by itself: what it gives, and when it says that somebody must wait.
import Foundation
import Testing

@testable import HTTPEngine

@Suite struct UploadSideTests {
    let world = EngineWorld()
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    private func side() throws -> UploadSide {
        UploadSide(try UploadReader(world.file("source", bytes)), sockets: SocketTable())
    }

    private func read(_ side: UploadSide, _ count: Int) throws -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: count)
        let got = try buffer.withUnsafeMutableBytes { try side.read(into: $0, now: MonotonicClock.now) }
        return got.map { Array(buffer.prefix($0)) }
    }

    @Test func `nothing is read while somebody else reads, and what they read comes next`() throws {
        let side = try side()
        #expect(side.beginWaiting() == 0)
        #expect(side.beginWaiting() == nil)
        #expect(try read(side, 10) == nil)
        side.take(.success(Array(bytes[..<25])), at: 0)
        #expect(try read(side, 10) == Array(bytes[..<10]))
        #expect(try read(side, 10) == Array(bytes[10..<20]))
        #expect(try read(side, 10) == Array(bytes[20..<25]))
        #expect(try read(side, 10) == Array(bytes[25..<35]))
    }

    @Test func `a piece that came after a rewind is not taken for the beginning`() throws {
        let side = try side()
        _ = try read(side, 50)
        #expect(side.beginWaiting() == 50)
        #expect(side.seek(to: 0))
        side.take(.success([9, 9, 9]), at: 50)
        #expect(try read(side, 5) == Array(bytes[..<5]))
    }

    @Test func `what went wrong elsewhere is thrown here`() throws {
        let side = try side()
        _ = side.beginWaiting()
        side.take(.failure(EngineFailure(.sourceChanged, message: "changed")), at: 0)
        #expect(throws: EngineFailure.self) { try read(side, 5) }
    }

    @Test func `a piece read elsewhere is the file's`() throws {
        let reader = try UploadReader(world.file("source", bytes))
        #expect(try reader.piece(at: 0) == bytes)
        #expect(try reader.piece(at: 99_990) == Array(bytes[99_990...]))
    }

    @Test func `work that never ends holds no other work`() async throws {
        let worker = SourceWorker()
        let never = DispatchSemaphore(value: 0)
        let done = Box(0)
        for _ in 0..<20 { worker.run { never.wait() } }
        for _ in 0..<20 { worker.run { done.change { $0 += 1 } } }
        await until("all of it is done") { done.value == 20 }
        for _ in 0..<20 { never.signal() }
    }
}
