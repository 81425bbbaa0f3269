// An answer's head, given to the reader line by line as libcurl gives it, and what the engine then asks
// of it.
import Foundation

@testable import HTTPEngine

func fuzzHead(_ input: [UInt8]) {
    var reader = HeadReader()
    var rest = input[...]
    while !rest.isEmpty {
        let end = rest.firstIndex(of: 0x0A).map { $0 + 1 } ?? rest.endIndex
        let line = Array(rest[..<end])
        rest = rest[end...]
        guard let block = line.withUnsafeBytes({ reader.take($0) }) else { continue }
        promise(!reader.isTooLarge, "no head comes of one that is too large")
        promise(reader.status == nil, "a head that was given out is over")
        checkBlock(block, mostBytes: input.count)
    }
}

private func checkBlock(_ block: HeadReader.Block, mostBytes: Int) {
    promise(block.version.hasPrefix("HTTP/"), "a head begins with a status line")
    promise((100...999).contains(block.status), "a status has three digits (RFC 9112 §4)")
    for header in block.headers {
        promise(!header.name.contains("\n") && !header.value.contains("\n"), "a field holds no line end")
        promise(!header.name.contains(":"), "a name ends at its colon")
        promise(
            header.value == header.value.trimmingCharacters(in: .whitespaces), "no white space around a value"
        )
    }
    let targets = block.redirectTargets
    promise(targets.isEmpty || HeadReader.isRedirect(block.status), "only a redirect redirects")

    for hasBody in [true, false] {
        let head = EngineHead(
            url: "http://h/", status: block.status, version: block.version, headers: block.headers,
            hasBody: hasBody)
        if let length = head.bodyLength { promise(length >= 0, "a body's length is \(length)") }
        if head.isCloseDelimited { promise(head.bodyLength == nil, "a length delimits a body") }
        _ = head.hasConflictingLengths
        _ = head.hasCodings
        _ = head.values(of: "ETag")
    }
}
