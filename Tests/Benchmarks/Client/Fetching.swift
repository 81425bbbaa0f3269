// Downloads a list of addresses, each to a place of its own, and waits for the last of them.
import BackgroundURLSession
import Foundation

final class Fetching: NSObject, URLSessionDownloadDelegate, @unchecked Sendable {
    // Unchecked: `names` is written before the first task begins; `left` belongs to the delegate queue after.
    private let folder: String
    private var names: [Int: String] = [:]
    private var left = 0
    private let done = DispatchSemaphore(value: 0)

    init(folder: String) { self.folder = folder }

    /// The list's lines are `ADDRESS NAME`.
    func fetch(list: String, in session: URLSession) throws {
        var tasks: [URLSessionDownloadTask] = []
        for line in try String(contentsOfFile: list, encoding: .utf8).split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            guard words.count == 2, let url = URL(string: words[0]) else { throw Misuse() }
            let task = session.downloadTask(with: url)
            names[task.taskIdentifier] = words[1]
            tasks.append(task)
        }
        left = tasks.count
        for task in tasks { task.resume() }
        done.wait()
        try session.commit()
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        guard let name = names[downloadTask.taskIdentifier],
            rename(location.path, folder + "/" + name) == 0
        else { return print("no place for \(location.path)") }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        if let error { print("task \(task.taskIdentifier): \(error)") }
        left -= 1
        if left == 0 { done.signal() }
    }
}
