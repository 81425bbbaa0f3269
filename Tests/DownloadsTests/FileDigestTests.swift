// SHA-256 against the values of FIPS 180-2, appendix B.

import Foundation
import Testing

@testable import Downloads

struct FileDigestTests {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            String(repeating: "a", count: 1_000_000),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        ),
        // Longer than one chunk; the value is sha256sum's.
        (
            String(repeating: "0123456789", count: 300_000),
            "6ca41633343f162f0f0604879eeac607e5e5087adeee2e4247199301968790d0"
        ),
    ])
    func `a file's digest is the standard's`(text: String, expected: String) throws {
        let scratch = try Scratch()
        #expect(try FileDigest.sha256(ofFile: try scratch.make("f", text)) == expected)
    }

    @Test func `a file that cannot be read is named`() throws {
        #expect(throws: FileDigestError.unreadable(path: "/none", errno: ENOENT)) {
            try FileDigest.sha256(ofFile: "/none")
        }
        #expect(throws: FileDigestError.unreadable(path: "/tmp", errno: EISDIR)) {
            try FileDigest.sha256(ofFile: "/tmp")
        }
    }
}
