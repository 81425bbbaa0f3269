// PlainJSONEncoder against Foundation's JSONEncoder, which it must equal byte for byte. The golden lines hold it
// to every message.
import Foundation
import Testing

@testable import TransferProtocol

struct PlainJSONEncoderTests {
    private struct Everything: Encodable {
        var zeta = "behind the others"
        var alpha = 1
        var text = ""
        var real = 0.0
        var single: Float = 0.1
        var small: [Int8] = [-128, 0, 127]
        var large: [UInt64] = [0, .max]
        var flags = [true, false]
        var missing: String?
        var gaps: [Int?] = [1, nil, 3]
        var date = Date(timeIntervalSince1970: 1_767_225_600.25)
        var dates = [Date(timeIntervalSinceReferenceDate: -0.5)]
        var data = Data([0, 1, 254, 255])
        var words = ["é": "ü", "b": "2", "B": "1", "a b": "\u{1F980}", "": "nothing"]
        var nothing: [String] = []
        var empty: [String: Int] = [:]
        var inner = Inner()
        var choices: [Choice] = [.word, .pair(first: 1, "two"), .nested(Inner())]
    }

    private struct Inner: Encodable {
        var b = [["x"], [], ["y", "z"]]
        var a: [String: [Int]] = ["k": [1]]
    }

    private struct Nothing: Encodable {}

    private enum Choice: Encodable {
        case word
        case pair(first: Int, String)
        case nested(Inner)
    }

    /// Writes containers by hand, as no compiler does.
    private struct ByHand: Encodable {
        enum Keys: String, CodingKey { case z, a, list, c }

        func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: Keys.self)
            var list = members.nestedUnkeyedContainer(forKey: .list)
            try list.encode("one")
            var deep = list.nestedContainer(keyedBy: Keys.self)
            try deep.encode(2, forKey: .z)
            try deep.encodeNil(forKey: .a)
            var end = list.nestedUnkeyedContainer()
            try end.encodeNil()
            try members.encode(Nothing(), forKey: .z)
            _ = members.nestedContainer(keyedBy: Keys.self, forKey: .c)
            var again = encoder.container(keyedBy: Keys.self)
            try again.encode(true, forKey: .a)
        }
    }

    private func expectEqual(_ value: some Encodable, _ location: SourceLocation = #_sourceLocation) throws {
        for isUnix in [false, true] {
            let other = JSONEncoder()
            other.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            if isUnix { other.dateEncodingStrategy = .secondsSince1970 }
            let ours = try PlainJSONEncoder(datesSince: isUnix ? .unix : .reference).encode(value)
            let theirs = try other.encode(value)
            #expect(
                String(decoding: ours, as: UTF8.self) == String(decoding: theirs, as: UTF8.self),
                sourceLocation: location)
        }
    }

    @Test func `every kind of value is written as Foundation writes it`() throws {
        try expectEqual(Everything())
        try expectEqual([Everything(), Everything()])
        try expectEqual(ByHand())
        try expectEqual(Nothing())
        try expectEqual("word")
        try expectEqual([Int]())
    }

    @Test func `every character is escaped as Foundation escapes it`() throws {
        var all = Everything()
        for scalar in (0...0x100).compactMap(Unicode.Scalar.init) + ["\u{2028}", "\u{FEFF}", "\u{10FFFF}"] {
            all.text = "a\(scalar)b\(scalar)"
            try expectEqual(all)
        }
    }

    @Test func `numbers are written as Foundation writes them`() throws {
        var all = Everything()
        let reals = [
            0, -0.0, 1, -1, 0.1, 1.5, 1e15, 1e16, 1e-5, 123456789.125, 1e100, .leastNonzeroMagnitude,
            .greatestFiniteMagnitude,
            .pi, 9_007_199_254_740_992,
        ]
        for real in reals {
            all.real = real
            all.single = Float(real).isFinite ? Float(real) : 0
            all.date = Date(timeIntervalSinceReferenceDate: real.magnitude < 1e12 ? real : 0)
            try expectEqual(all)
        }
    }

    @Test func `a number that JSON cannot hold is an error`() {
        var all = Everything()
        for real in [Double.nan, .infinity, -.infinity] {
            all.real = real
            #expect(throws: EncodingError.self) { try PlainJSONEncoder(datesSince: .unix).encode(all) }
        }
    }
}
