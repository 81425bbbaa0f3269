// How a stream is cut into reads must not matter.
import Foundation
import Testing

@testable import TransferProtocol

@Suite struct LineFramerTests {
    /// Feeds the pieces one after the other.
    func lines(_ pieces: [Data], limit: Int = 1000) throws -> [Data] {
        var framer = LineFramer(limit: limit)
        return try pieces.flatMap { piece in try piece.withUnsafeBytes { try framer.take($0) } }
    }

    @Test func `the same lines come out wherever the stream is cut`() throws {
        let stream = Data("{\"a\":1}\n\n{\"ü\":\"🐟\"}\nlast\n".utf8)
        let whole = try lines([stream])
        #expect(whole == ["{\"a\":1}", "{\"ü\":\"🐟\"}", "last"].map { Data($0.utf8) })
        for cut in 0...stream.count {
            #expect(
                try lines([stream.prefix(cut), stream.suffix(stream.count - cut)]) == whole, "cut at \(cut)")
        }
        #expect(try lines(stream.map { Data([$0]) }) == whole)
    }

    @Test func `an unfinished line is kept, and known to be there`() throws {
        var framer = LineFramer(limit: 10)
        #expect(try Data("ab".utf8).withUnsafeBytes { try framer.take($0) } == [])
        #expect(framer.holdsHalfALine)
        #expect(try Data("c\n".utf8).withUnsafeBytes { try framer.take($0) } == [Data("abc".utf8)])
        #expect(!framer.holdsHalfALine)
        #expect(try framer.take(UnsafeRawBufferPointer(start: nil, count: 0)) == [])
    }

    @Test func `a line may be as long as the limit and no byte longer`() throws {
        let exact = Data(repeating: 0x61, count: 64)
        let newline = Data([0x0A])
        #expect(try lines([exact + newline], limit: 64) == [exact])
        #expect(try lines([exact, newline], limit: 64) == [exact])
        #expect(throws: LineTooLong(limit: 63)) { try lines([exact + newline], limit: 63) }
        #expect(throws: LineTooLong(limit: 63), "told before the newline comes") {
            try lines([exact], limit: 63)
        }
        #expect(throws: LineTooLong(limit: 63)) { try lines(exact.map { Data([$0]) }, limit: 63) }
    }

    @Test func `whole lines before one that is too long are not lost`() throws {
        let stream = Data("one\ntwo\n".utf8) + Data(repeating: 0x61, count: 100)
        let before = ["one", "two"].map { Data($0.utf8) }
        #expect(throws: LineTooLong(limit: 64, before: before)) { try lines([stream], limit: 64) }
    }

    @Test func `a huge line and binary garbage pass like any other`() throws {
        let huge = Data(repeating: 0x78, count: 5_000_000)
        var pieces: [Data] = []
        for start in stride(from: 0, to: huge.count, by: 65_536) {
            pieces.append(huge[start..<min(start + 65_536, huge.count)])
        }
        #expect(try lines(pieces + [Data([0x0A])], limit: huge.count) == [huge])

        let garbage = Data((0...255).map { UInt8($0) })
        let expected = [Data(0...9), Data(11...255)]
        #expect(try lines([garbage, Data([0x0A])]) == expected)
    }
}
