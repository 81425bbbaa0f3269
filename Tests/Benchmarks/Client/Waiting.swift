// Delegates of programs that wait for what arrives.
import BackgroundURLSession
import Foundation

/// Ends the process inside the first delivered event, which is therefore delivered to the next one again.
final class FirstEvent: NSObject, URLSessionDownloadDelegate {
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        _exit(0)
    }
}

/// Says of each task when it has ended.
final class Owning: NSObject, URLSessionDownloadDelegate {
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {}

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        Line.write("ended \(task.taskIdentifier)")
    }
}

/// A line that is out when the call returns, also into a pipe.
enum Line {
    static func write(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }
}
