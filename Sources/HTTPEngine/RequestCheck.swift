// What libcurl would misread or repair, found before it sees it. Pure.
import Foundation

enum RequestCheck {
    static func failure(of request: EngineRequest) -> EngineFailure? {
        addressFailure(request.url) ?? methodFailure(request.method) ?? headerFailure(request.headers)
    }

    /// libcurl guesses a scheme where none is, and cuts a string at NUL.
    private static func addressFailure(_ url: String) -> EngineFailure? {
        guard let colon = url.firstIndex(of: ":"), isScheme(url[..<colon]) else {
            return EngineFailure(.badURL, message: "the address has no scheme")
        }
        guard ["http", "https"].contains(url[..<colon].lowercased()) else {
            return EngineFailure(.unsupportedScheme, message: "unsupported scheme")
        }
        guard url[colon...].hasPrefix("://") else {
            return EngineFailure(.badURL, message: "the address has no host")
        }
        if url.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) {
            return EngineFailure(.badURL, message: "the address has a space or a control character in it")
        }
        return nil
    }

    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    private static func methodFailure(_ method: String) -> EngineFailure? {
        isToken(method) ? nil : EngineFailure(.badRequest, message: "the method is not one word")
    }

    private static func headerFailure(_ headers: [EngineHeader]) -> EngineFailure? {
        for header in headers {
            guard isToken(header.name) else {
                return EngineFailure(.badRequest, message: "a header's name is not one word")
            }
            if header.value.utf8.contains(where: { $0 == 0 || $0 == 0x0A || $0 == 0x0D }) {
                return EngineFailure(.badRequest, message: "a header's value has a line break in it")
            }
        }
        return nil
    }

    /// RFC 9110 §5.6.2.
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"(),/:;<=>?@[\\]{}".utf8.contains($0) }
    }
}
