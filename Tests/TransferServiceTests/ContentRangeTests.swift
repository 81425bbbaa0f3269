import Testing

@testable import TransferService

@Suite struct ContentRangeTests {
    @Test(arguments: [
        ("bytes 0-499/1234", ContentRange.range(first: 0, last: 499, complete: 1234)),
        ("bytes 734-1233/1234", .range(first: 734, last: 1233, complete: 1234)),
        ("bytes 42-1233/*", .range(first: 42, last: 1233, complete: nil)),
        ("BYTES 1-1/2", .range(first: 1, last: 1, complete: 2)),
        ("bytes */1234", .unsatisfied(complete: 1234)),
        (
            "bytes 4294967296-8589934591/8589934592",
            .range(first: 4_294_967_296, last: 8_589_934_591, complete: 8_589_934_592)
        ),
    ])
    func whatTheGrammarAllowsIsRead(text: String, value: ContentRange) {
        #expect(ContentRange(text) == value)
    }

    @Test(arguments: [
        "", "bytes", "bytes 0-499", "0-499/1234", "items 0-4/5", "bytes 5-4/10", "bytes 0-10/10", "bytes */*",
        "bytes -1-4/10", "bytes +1-4/10", "bytes 0-4/+10", "bytes 0-4/99999999999999999999", "bytes 0-4/10 x",
        "bytes=0-4/10", "bytes 0--4/10", "bytes a-b/c",
    ])
    func whatItDoesNotAllowIsRefused(text: String) {
        #expect(ContentRange(text) == nil)
    }
}
