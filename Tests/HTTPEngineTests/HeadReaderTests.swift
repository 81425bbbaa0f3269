import Testing

@testable import HTTPEngine

@Suite struct HeadReaderTests {
    private func head(_ lines: String...) -> HeadReader.Block? {
        var reader = HeadReader()
        return lines.compactMap { line in
            Array((line + "\r\n").utf8).withUnsafeBytes { reader.take($0) }
        }.last
    }

    @Test func `a head is its status line and fields, up to the blank line`() {
        let block = head("HTTP/1.1 206 Partial Content", "ETag: \"v1\"", "X:", " folded", "\t", "")
        #expect(block?.status == 206)
        #expect(block?.version == "HTTP/1.1")
        #expect(block?.headers.map(\.value) == ["\"v1\"", "folded"])
    }

    // RFC 9112 §4: three digits.
    @Test(arguments: ["+200", "-20", "2", "20", "2000", "0200", "000", "0x1", "99999999999999999999", "2OO"])
    func `a status that is not three digits begins no head`(status: String) {
        #expect(head("HTTP/1.1 \(status) OK", "") == nil)
    }
}
