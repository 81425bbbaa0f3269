// What an app's own header fields ask of an answer, beside its body: a part of it, or that it be (or not be)
// a certain version. Pure; the fields are those of RFC 9110 §13.1 and 14.2.
import Foundation
import TransferProtocol

struct OwnConditions: Equatable, Sendable {
    /// It has a Range, so that a 206 is what its author wants.
    var asksRange = false
    /// It has conditions: a 304 or a 412 is an answer that its author expects.
    var asksVersion = false

    private static let versionFields = [
        "if-match", "if-none-match", "if-modified-since", "if-unmodified-since",
    ]
    private static let rangeFields = ["range", "if-range"]

    init() {}

    init(_ fields: [HeaderField]) {
        asksRange = fields.first("Range") != nil
        asksVersion = Self.versionFields.contains { fields.first($0) != nil }
    }

    /// The fields without any of these. Who asks for the rest of the bytes on disk asks for the version of
    /// those bytes, by If-Range alone: a 304 or a 412 to another condition would say nothing about them.
    static func removed(from fields: [HeaderField]) -> [HeaderField] {
        fields.filter { !(versionFields + rangeFields).contains($0.name.lowercased()) }
    }
}
