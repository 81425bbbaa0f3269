// An answer's bytes as characters and as scalars, and the members that are there so that code compiles.
import Foundation
import Testing

@testable import BackgroundURLSession

@Suite struct AsyncCharactersTests {
    /// What comes of a body whose pieces end in the middle of scalars.
    private func bytes(_ body: [UInt8]) async throws -> BackgroundURLSession.URLSession.AsyncBytes {
        let server = RawServer(bytes: body)
        defer { withExtendedLifetime(server) {} }
        return try await URLSession(configuration: .ephemeral).bytes(from: server.address()).0
    }

    @Test func scalarsAreReadAsUTF8AndWhatIsNoneIsReplaced() async throws {
        let cases: [(bytes: [UInt8], text: String)] = [
            (Array("a\u{E9}\u{20AC}\u{1F600}\0z".utf8), "a\u{E9}\u{20AC}\u{1F600}\0z"),
            ([], ""),
            ([0x41, 0xE2, 0x82], "A\u{FFFD}"),
            ([0xE2, 0x41], "\u{FFFD}A"),
            ([0xFF, 0x80, 0x41], "\u{FFFD}\u{FFFD}A"),
            ([0xC0, 0xAF], "\u{FFFD}\u{FFFD}"),
            ([0xED, 0xA0, 0x80, 0x41], "\u{FFFD}\u{FFFD}\u{FFFD}A"),
            ([0xF0, 0x9F, 0x98, 0x41], "\u{FFFD}A"),
        ]
        for one in cases {
            #expect(one.text == String(decoding: one.bytes, as: UTF8.self))
            var read = ""
            for try await scalar in try await bytes(one.bytes).unicodeScalars {
                read.unicodeScalars.append(scalar)
            }
            #expect(read == one.text)
        }
    }

    @Test func charactersAreWhole() async throws {
        let text = "e\u{301}\r\n\u{1F1E9}\u{1F1EA}\u{1F1EB}\u{1F1F7}\u{1F468}\u{200D}\u{1F469}x"
        var read: [Character] = []
        for try await character in try await bytes(Array(text.utf8)).characters { read.append(character) }
        #expect(read == Array(text))
        #expect(read.count == 6)
    }

    @Test func anUploadIsNotGoneOnWith() async throws {
        let session = URLSession(configuration: .ephemeral)
        await #expect { try await session.upload(resumeFrom: Data("held".utf8)) } throws: {
            $0.localizedDescription.hasPrefix("Uploads cannot be resumed on Linux")
        }
        let error = await withCheckedContinuation { done in
            session.uploadTask(withResumeData: Data()) { done.resume(returning: $2) }.resume()
        }
        #expect(error?.localizedDescription.hasPrefix("Uploads cannot be resumed on Linux") == true)
        #expect(URLError(.notConnectedToInternet).networkUnavailableReason == nil)
    }
}
