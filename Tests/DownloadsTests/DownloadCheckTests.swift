// What a finished download must be before it is put in place, case by case.

import BackgroundURLSession
import Foundation
import Testing

@testable import Downloads

struct DownloadCheckTests {
    /// SHA-256 and SHA-512 of "abc" (FIPS 180-2, appendix B and C), as hexadecimal and as the fields have them.
    static let hex = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    static let base64 = "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="
    static let long =
        "3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw=="
    static let other = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

    static func answer(_ status: Int, _ fields: [String: String] = [:]) -> URLResponse? {
        URL(string: "http://h/f").flatMap {
            HTTPURLResponse(url: $0, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
        }
    }

    /// The kind of what is wrong with a file "abc".
    func kind(_ check: DownloadCheck) throws -> String {
        let scratch = try Scratch()
        switch try check.problem(ofFile: try scratch.make("f", "abc")) {
        case nil: return "none"
        case .unexpectedResponse: return "response"
        case .unacceptableStatus(let status): return "status \(status)"
        case .notAsPromised(.length(let promised, let actual, let by)): return "\(by) \(promised)≠\(actual)"
        case .notAsPromised(.digest(let algorithm, _, _, let by)): return "\(by) \(algorithm.rawValue)"
        case let other?: return "\(other)"
        }
    }

    @Test(arguments: [
        (200, "none"), (201, "none"), (299, "none"), (199, "status 199"), (304, "status 304"),
        (404, "status 404"), (416, "status 416"), (500, "status 500"),
    ])
    func `only a status of 2xx brings a file`(status: Int, expected: String) throws {
        #expect(try kind(DownloadCheck(response: Self.answer(status))) == expected)
    }

    @Test func `what is no answer over HTTP brings no file`() throws {
        #expect(try kind(DownloadCheck(response: nil)) == "response")
        let url = try #require(URL(string: "file:///f"))
        let other = URLResponse(url: url, mimeType: nil, expectedContentLength: 3, textEncodingName: nil)
        #expect(try kind(DownloadCheck(response: other)) == "response")
    }

    @Test(arguments: [
        ("bytes 1-2/3", false, "none"), ("bytes 1-2/*", false, "none"), ("bytes 0-2/3", false, "none"),
        ("bytes 0-2/4", false, "server 4≠3"), ("bytes 3-5/6", false, "server 6≠3"),
        ("lines 1-2/3", false, "response"), (nil, false, "response"),
        ("bytes 3-5/6", true, "none"),
    ])
    func `a part is a file when it completes one, or was asked for`(
        range: String?, asksRange: Bool, expected: String
    ) throws {
        let answer = Self.answer(206, range.map { ["Content-Range": $0] } ?? [:])
        #expect(try kind(DownloadCheck(response: answer, asksRange: asksRange)) == expected)
    }

    @Test func `a length that was promised must be there`() throws {
        let answer = Self.answer(200)
        #expect(try kind(DownloadCheck(response: answer, expected: 3, length: 3)) == "none")
        #expect(try kind(DownloadCheck(response: answer, expected: 4)) == "server 4≠3")
        #expect(try kind(DownloadCheck(response: answer, expected: -1, length: 0)) == "asker 0≠3")
    }

    @Test func `a digest that was promised to the asker must be there`() throws {
        let answer = Self.answer(200)
        #expect(try kind(DownloadCheck(response: answer, sha256: Self.hex.uppercased())) == "none")
        let wrong = "0" + Self.hex.dropFirst()
        #expect(try kind(DownloadCheck(response: answer, sha256: wrong)) == "asker sha-256")
    }

    @Test(arguments: [
        // RFC 9530
        ("Repr-Digest", "sha-256=:\(base64):", "none"),
        ("Repr-Digest", "sha-512=:\(long):", "none"),
        ("Repr-Digest", "md5=:AAAA:, sha-256=:\(base64):;q=1", "none"),
        ("Repr-Digest", "sha-256=:\(other):", "server sha-256"),
        (
            "Repr-Digest", "sha-512=:\(String(long.reversed().drop { $0 == "=" }).prefix(86))==:",
            "server sha-512"
        ),
        // RFC 3230
        ("Digest", "SHA-256=\(base64)", "none"),
        ("Digest", "sha-256=\(other),md5=AAAA", "server sha-256"),
        ("Digest", "md5=AAAA, SHA-512=\(long)", "none"),
        // What cannot be read counts as not said.
        ("Repr-Digest", "sha-256=\(other)", "none"),
        ("Repr-Digest", "sha-256=:AAAA:", "none"),
        ("Repr-Digest", "sha-256=::", "none"),
        ("Repr-Digest", "sha-256", "none"),
        ("Repr-Digest", ":::,=,;", "none"),
        ("Digest", "md5=AAAA", "none"),
        ("Digest", "SHA-256=:\(other):", "none"),
        ("Content-Digest", "sha-256=:\(other):", "none"),
    ])
    func `the server's own digest must be the file's`(
        field: String, value: String, expected: String
    ) throws {
        #expect(try kind(DownloadCheck(response: Self.answer(200, [field: value]))) == expected)
    }

    @Test func `the newer field counts before the older one`() throws {
        let fields = ["Repr-Digest": "sha-256=:\(Self.base64):", "Digest": "SHA-256=\(Self.other)"]
        #expect(try kind(DownloadCheck(response: Self.answer(200, fields))) == "none")
    }

    @Test func `the whole's digest holds for what was resumed and not for a part that was asked for`() throws
    {
        let fields = ["Repr-Digest": "sha-256=:\(Self.other):", "Content-Range": "bytes 1-2/3"]
        #expect(try kind(DownloadCheck(response: Self.answer(206, fields))) == "server sha-256")
        #expect(try kind(DownloadCheck(response: Self.answer(206, fields), asksRange: true)) == "none")
    }

    @Test func `what was decoded is not held to what was sent, but to what its asker knows`() throws {
        let fields = ["Content-Encoding": "gzip", "Repr-Digest": "sha-256=:\(Self.other):"]
        let answer = Self.answer(200, fields)
        #expect(try kind(DownloadCheck(response: answer, expected: 99)) == "none")
        #expect(try kind(DownloadCheck(response: answer, length: 4)) == "asker 4≠3")
    }

    @Test func `a file that cannot be read is no verdict`() {
        let check = DownloadCheck(response: Self.answer(200))
        #expect(throws: FileDigestError.unreadable(path: "/none", errno: ENOENT)) {
            try check.problem(ofFile: "/none")
        }
    }
}
