// The actor: an isolated wrapper that asks the session for all tasks before it queues anything, and whose
// delegate is a small object that passes everything into a stream.
import BackgroundURLSession
import Foundation

/// Printed at once, also into a file: the process may be killed on the next line.
func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

enum TransferEvent: Sendable {
    case arrived(String, URL)
    case ended(String, String?)
}

final class Relay: NSObject, URLSessionDownloadDelegate {
    let folder: URL
    let events: AsyncStream<TransferEvent>.Continuation

    init(folder: URL, events: AsyncStream<TransferEvent>.Continuation) {
        self.folder = folder
        self.events = events
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        // The file is gone when this returns, so it is moved here and not in the actor.
        let name = downloadTask.taskDescription ?? "unnamed"
        let place = folder.appendingPathComponent(name)
        try? FileManager.default.moveItem(at: location, to: place)
        events.yield(.arrived(name, place))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        events.yield(.ended(task.taskDescription ?? "unnamed", error?.localizedDescription))
    }
}

actor Downloader {
    private let session: URLSession
    private let events: AsyncStream<TransferEvent>
    private var left: Set<String> = []

    init(folder: URL) {
        let (events, continuation) = AsyncStream.makeStream(of: TransferEvent.self)
        self.events = events
        session = URLSession(
            configuration: .background(withIdentifier: "com.example.actor"),
            delegate: Relay(folder: folder, events: continuation), delegateQueue: nil)
    }

    func download(_ names: [String], from server: String, into folder: URL) async {
        let known = Set(await session.allTasks.compactMap(\.taskDescription))
        say("known \(known.sorted())")
        for name in names where !FileManager.default.fileExists(atPath: folder.path + "/" + name) {
            left.insert(name)
            guard !known.contains(name) else { continue }
            guard let url = URL(string: "\(server)/bytes/300000/\(name)?hold=\(name)&holdat=150000") else {
                continue
            }
            let task = session.downloadTask(with: URLRequest(url: url))
            task.taskDescription = name
            task.resume()
            say("queued \(name)")
        }
    }

    func finish() async {
        guard !left.isEmpty else { return }
        for await event in events {
            switch event {
            case .arrived(let name, let place): say("arrived \(name) at \(place.lastPathComponent)")
            case .ended(let name, let error):
                say("completed \(name) \(error ?? "nil")")
                left.remove(name)
            }
            if left.isEmpty { return }
        }
    }
}

let folder = URL(fileURLWithPath: CommandLine.arguments[2])
let downloader = Downloader(folder: folder)
await downloader.download(["one", "two"], from: CommandLine.arguments[1], into: folder)
await downloader.finish()
