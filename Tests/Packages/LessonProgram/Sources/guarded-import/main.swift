// Written for both worlds long ago: the networking half is imported where it is a module of its own. The
// file stays as it was; URLSessionAliases.swift beside it says whose URLSession is meant.
import Foundation
#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

final class ModelFetcher: NSObject, URLSessionDownloadDelegate {
    let destination: URL
    init(destination: URL) { self.destination = destination }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        guard totalBytesExpectedToWrite != NSURLSessionTransferSizeUnknown else { return }
        precondition(totalBytesWritten <= totalBytesExpectedToWrite)
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        do {
            try FileManager.default.moveItem(at: location, to: destination)
            print("arrived \(destination.lastPathComponent)")
        } catch {
            print("could not be placed: \(error)")
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        print("completed \(task.taskDescription ?? "") \(error.map { "\($0)" } ?? "nil")")
        exit(error == nil ? 0 : 1)
    }
}

setlinebuf(stdout)
let destination = URL(fileURLWithPath: CommandLine.arguments[2]).appendingPathComponent("model")
let session = URLSession(
    configuration: .background(withIdentifier: "com.example.models"),
    delegate: ModelFetcher(destination: destination), delegateQueue: nil)
session.getTasksWithCompletionHandler { _, _, downloads in
    if let running = downloads.first(where: { $0.taskDescription == "model" }) {
        return print("found \(running.taskIdentifier) \(running.state == .running)")
    }
    // Finished while nobody was here: its end is on the way to the delegate.
    guard !FileManager.default.fileExists(atPath: destination.path) else { exit(0) }
    let address = CommandLine.arguments[1] + "/bytes/300000/model?hold=model&holdat=150000"
    guard let url = URL(string: address) else { exit(64) }
    var request = URLRequest(url: url)
    request.setValue("model-fetcher", forHTTPHeaderField: "User-Agent")
    let task = session.downloadTask(with: request)
    task.taskDescription = "model"
    task.resume()
    print("queued \(task.taskIdentifier)")
}
RunLoop.main.run()
