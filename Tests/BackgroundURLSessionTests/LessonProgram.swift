// The lesson's program as a page would print it, but for `@main`: start a transfer and leave; come back in
// another process and find it.
import BackgroundURLSession
import Foundation

private final class Library: NSObject, URLSessionDownloadDelegate {
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        let place = URL(fileURLWithPath: downloadTask.taskDescription ?? "download")
        try? FileManager.default.moveItem(at: location, to: place)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        print("complete", task.taskIdentifier, error.map { "\($0)" } ?? "nil")
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        exit(0)
    }
}

private struct Program {
    static func main() async {
        let configuration = URLSessionConfiguration.background(withIdentifier: "com.example.library.relaunch")
        let session = URLSession(configuration: configuration, delegate: Library(), delegateQueue: nil)
        if CommandLine.arguments.contains("start"), let url = URL(string: "http://127.0.0.1:8765/audiobook") {
            let task = session.downloadTask(with: url)
            task.taskDescription = "audiobook-42"
            task.resume()
            try? await Task.sleep(nanoseconds: 2_000_000_000)
            exit(0)
        }
        for task in await session.allTasks {
            print(
                "relaunch sees:", task.taskIdentifier, task.taskDescription ?? "", task.countOfBytesReceived)
        }
        try? await Task.sleep(nanoseconds: 60_000_000_000)
    }
}
