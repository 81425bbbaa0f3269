// Scripts/slow_server.py as a process of the test's own, on a port of the kernel's choice.
import Foundation
import Testing

final class SlowServer {
    static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Scripts/slow_server.py").path

    let origin: String
    private let process = Process()
    private let log: String

    init() throws {
        log = "/tmp/slow-server-\(UUID().uuidString).log"
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let parent = String(ProcessInfo.processInfo.processIdentifier)
        process.arguments = [
            "python3", Self.script, "--port", "0", "--parent", parent, "--interval", "0", "--log", log,
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        var said = Data()
        while said.last != UInt8(ascii: "\n") {
            let piece = output.fileHandleForReading.availableData
            try #require(!piece.isEmpty, "the slow server did not start")
            said += piece
        }
        let words = try #require(String(data: said, encoding: .utf8)).split(whereSeparator: \.isWhitespace)
        origin = String(try #require(words.last))
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
        unlink(log)
    }

    /// How many requests have come.
    var requests: Int {
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").count { $0.contains("\"event\": \"start\"") }
    }

    /// The SHA-256 of what a GET of that path yields, in hexadecimal.
    func digest(_ path: String) throws -> String {
        try Program.output("python3", Self.script, "--digest", path)
    }
}

/// Programs that are run to their end.
enum Program {
    static func output(_ words: String...) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(words) failed")
        return String(decoding: data, as: UTF8.self)
    }
}
