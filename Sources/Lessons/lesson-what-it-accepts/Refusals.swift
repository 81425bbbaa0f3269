// The calls that a background session refuses. Each ends the process that makes it with a message that names the
// rule, as an exception does on Apple's platforms.
import BackgroundURLSession
import Foundation

enum Refusals {
    /// The name of each, in the order in which they are shown.
    static let names = [
        "data-handler", "download-handler", "resume-handler", "upload-handler", "async-data",
        "async-download", "async-upload", "async-bytes", "upload-data", "upload-stream", "body-stream",
    ]

    /// Makes the call; returns only where it was not refused.
    static func make(_ name: String, on session: URLSession, _ request: URLRequest, file: URL) async {
        switch name {
        case "data-handler": _ = session.dataTask(with: request) { _, _, _ in }
        case "download-handler": _ = session.downloadTask(with: request) { _, _, _ in }
        case "resume-handler": _ = session.downloadTask(withResumeData: Data()) { _, _, _ in }
        case "upload-handler": _ = session.uploadTask(with: request, fromFile: file) { _, _, _ in }
        case "async-data": _ = try? await session.data(for: request)
        case "async-download": _ = try? await session.download(for: request)
        case "async-upload": _ = try? await session.upload(for: request, fromFile: file)
        case "async-bytes": _ = try? await session.bytes(for: request)
        case "upload-data": _ = session.uploadTask(with: request, from: Data("body".utf8))
        case "upload-stream": _ = session.uploadTask(withStreamedRequest: request)
        case "body-stream":
            var request = request
            request.httpMethod = "POST"
            request.httpBodyStream = InputStream(data: Data("body".utf8))
            _ = session.dataTask(with: request)
        default: say("no such call: \(name)")
        }
    }

    /// Makes the call in a process of its own; prints how that ended and the rule it named.
    static func show(_ name: String, _ arguments: [String]) throws {
        let child = Process()
        child.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        child.arguments = arguments + ["--refused", name]
        // The rule is what counts here, not where in this program it was broken.
        child.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) {
            $1
        }
        let said = Pipe()
        child.standardError = said
        try child.run()
        let text = String(decoding: said.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        child.waitUntilExit()
        let rule = text.split(separator: "\n").first { $0.contains("BackgroundURLSession: ") }
            .flatMap { $0.components(separatedBy: "BackgroundURLSession: ").last }
        let how = child.terminationReason == .uncaughtSignal ? "ended by signal" : "went on, status"
        say("refused \(name): \(how) \(child.terminationStatus): \(rule ?? "no rule named")")
    }
}
