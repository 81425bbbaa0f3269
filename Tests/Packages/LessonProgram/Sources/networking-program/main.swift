// Code that was written for Linux before: it imports FoundationNetworking where that is there, and goes on
// doing so. URLSessionAliases.swift beside it settles whose URLSession is meant; see Templates.
import BackgroundURLSession
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

final class Queue: NSObject, URLSessionDownloadDelegate {
    private var names: [URLSessionTask: String] = [:]

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        names[downloadTask] = location.lastPathComponent
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {}

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        guard let error = error as NSError? else { return }
        _ = error.userInfo[NSURLSessionDownloadTaskResumeData] as? Data
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {}

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: Error?) {
        exit(0)
    }
}

let configuration: URLSessionConfiguration = .background(withIdentifier: "com.example.networking")
configuration.httpMaximumConnectionsPerHost = 2
let session = URLSession(configuration: configuration, delegate: Queue(), delegateQueue: OperationQueue())
if let url = URL(string: "http://127.0.0.1:9/") {
    // Types that only FoundationNetworking has go on being its own.
    var request = URLRequest(url: url)
    request.setValue("1", forHTTPHeaderField: "X-Test")
    let task: URLSessionDownloadTask = session.downloadTask(with: request)
    print("made \(task.taskIdentifier), \(task.state == .suspended ? "suspended" : "not suspended")")
    task.cancel()
}
session.getAllTasks { tasks in
    print("tasks: \(tasks.count)")
    session.invalidateAndCancel()
}
RunLoop.main.run()
