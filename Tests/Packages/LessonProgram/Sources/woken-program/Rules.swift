// What else the app does as docs/lessons/apple-platforms.md has it: resume data kept, small files queued together,
// an ordinary session for what a person waits for, constraints said, notifications as a second way only.
import BackgroundURLSession
import Foundation

/// Resume data by the name of what it is for, in a file each: the next process finds it.
struct ResumeShelf: Sendable {
    let folder: URL

    func put(_ data: Data, for name: String) {
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try? data.write(to: folder.appendingPathComponent(name), options: .atomic)
    }

    /// It can be used once.
    func take(_ name: String) -> Data? {
        let file = folder.appendingPathComponent(name)
        defer { try? FileManager.default.removeItem(at: file) }
        return try? Data(contentsOf: file)
    }
}

extension Library {
    /// What was paused or failed goes on from where it was.
    func ask(for name: String, at address: URL) {
        let task =
            resumeShelf.take(name).map { session.downloadTask(withResumeData: $0) }
            ?? session.downloadTask(with: address)
        task.taskDescription = name
        task.resume()
    }

    func pause(_ task: URLSessionDownloadTask) {
        let name = task.taskDescription ?? "nameless"
        task.cancel(byProducingResumeData: { [resumeShelf] data in
            if let data { resumeShelf.put(data, for: name) }
        })
    }

    /// Queued together, the pages come in one visit; each queued when the one before has ended would cost a
    /// launch of its own, and each of those comes later than the last.
    func ask(for pages: [String: URL]) {
        for (name, address) in pages { ask(for: name, at: address) }
    }

    /// A person looks at the cover and waits: an ordinary session answers now, or fails now.
    func cover(at address: URL) async throws -> Data {
        try await URLSession.shared.data(from: address).0
    }

    /// For what may take until tomorrow, and what the person is told about it.
    static func archiving() -> (configuration: URLSessionConfiguration, words: String) {
        let configuration = URLSessionConfiguration.background(withIdentifier: "com.example.library.archive")
        configuration.isDiscretionary = true
        configuration.allowsExpensiveNetworkAccess = false
        return (
            configuration, "Goes on when the app is closed. Waits for power and a network that costs nothing."
        )
    }

    /// First where it belongs; then a notification, if one may be sent.
    func show(_ result: String, notify: (@Sendable (String) -> Void)? = nil) {
        print(result)
        notify?(result)
    }
}
