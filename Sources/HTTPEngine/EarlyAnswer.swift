// What a server said before it closed on an upload it did not want. When libcurl's send fails first, it
// closes without looking whether an answer had come; the kernel still has it. Plain HTTP only: through TLS
// nobody but OpenSSL could read it. Lives on curl's thread.
import Foundation

struct EarlyAnswer {
    private static let limit = 64 << 10

    /// The head's lines, each with its line end, the blank one included; empty when no whole head came.
    let lines: [ArraySlice<UInt8>]
    /// The bytes after the head.
    let rest: ArraySlice<UInt8>

    /// Reads what is there, without waiting.
    init(socket: Int32) {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        while bytes.count < Self.limit {
            let count = recv(socket, &piece, piece.count, Int32(MSG_DONTWAIT))
            if count <= 0 { break }
            bytes += piece.prefix(count)
        }
        self.init(bytes)
    }

    init(_ bytes: [UInt8]) {
        var lines: [ArraySlice<UInt8>] = []
        var start = 0
        while bytes.starts(with: "HTTP/".utf8), let end = bytes[start...].firstIndex(of: 0x0A) {
            let line = bytes[start...end]
            lines.append(line)
            start = end + 1
            // An informational answer's blank line is not the end: another status line follows it.
            let isBlank = line.count <= 2 && line.allSatisfy { $0 == 0x0A || $0 == 0x0D }
            if isBlank, !bytes[start...].starts(with: "HTTP/".utf8) {
                self.lines = lines
                rest = bytes[start...]
                return
            }
        }
        self.lines = []
        rest = []
    }
}
