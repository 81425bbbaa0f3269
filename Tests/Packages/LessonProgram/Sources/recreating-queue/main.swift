// A queue that works in batches: each ends with its session, which is invalidated and made anew, under the
// same identifier, when the session says that it has become invalid.
import BackgroundURLSession
import Foundation

final class BatchQueue: NSObject, URLSessionDownloadDelegate {
    private let server: String
    private let folder: URL
    private var batches = [["one", "two"], ["three"]]
    private var session: URLSession?
    private var names: [URLSessionTask: String] = [:]

    init(server: String, folder: URL) {
        self.server = server
        self.folder = folder
    }

    func begin() {
        batches = batches.map { $0.filter { !isPlaced($0) } }.filter { !$0.isEmpty }
        guard let batch = batches.first else { exit(0) }
        let session = URLSession(
            configuration: .background(withIdentifier: "com.example.batches"), delegate: self,
            delegateQueue: .main)
        self.session = session
        print("made a session for \(batch)")
        session.getAllTasks { [self] tasks in
            for task in tasks { names[task] = task.taskDescription }
            for name in batch where !names.values.contains(name) && !isPlaced(name) {
                let hold = "hold=\(name)&holdat=150000"
                let task = session.downloadTask(with: address("/bytes/300000/\(name)?\(hold)"))
                task.taskDescription = name
                names[task] = name
                task.resume()
                print("queued \(name)")
            }
            session.finishTasksAndInvalidate()
        }
    }

    private func address(_ path: String) -> URL {
        guard let url = URL(string: server + path) else { exit(64) }
        return url
    }

    private func place(_ name: String) -> URL { folder.appendingPathComponent(name) }
    private func isPlaced(_ name: String) -> Bool { FileManager.default.fileExists(atPath: place(name).path) }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        let name = names[downloadTask] ?? downloadTask.taskDescription ?? "unnamed"
        try? FileManager.default.moveItem(at: location, to: place(name))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        print("completed \(task.taskDescription ?? "") \(error.map { "\($0)" } ?? "nil")")
        names[task] = nil
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: Error?) {
        print("invalid \(error.map { "\($0)" } ?? "nil")")
        self.session = nil
        begin()
    }
}

setlinebuf(stdout)
let queue = BatchQueue(
    server: CommandLine.arguments[1], folder: URL(fileURLWithPath: CommandLine.arguments[2]))
queue.begin()
RunLoop.main.run()
