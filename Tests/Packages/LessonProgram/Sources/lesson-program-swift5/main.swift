// A transfer that outlives the process that asked for it.
//
//   lesson-program start [URL]   asks for a download, watches it for two seconds and leaves
//   lesson-program resume        a new process: finds the download again and waits until it is here
import BackgroundURLSession
import Foundation

final class Library: NSObject, URLSessionDownloadDelegate {
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        // The file is gone when this method returns, so it is moved now.
        let shelf = URL(fileURLWithPath: downloadTask.taskDescription ?? "download")
        do {
            try FileManager.default.moveItem(at: location, to: shelf)
            print("finished \(name(downloadTask)) \(downloadTask.countOfBytesReceived)")
        } catch {
            print("lost \(name(downloadTask)): \(error)")
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        print("complete \(task.taskIdentifier) \(error.map { "\($0)" } ?? "nil")")
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: Error?) {
        exit(0)
    }
}

func name(_ task: URLSessionTask) -> String {
    "\(task.taskIdentifier) \(task.taskDescription ?? "-")"
}

// The identifier is what ties the two processes together.
let configuration = URLSessionConfiguration.background(withIdentifier: "com.example.library.relaunch")
let session = URLSession(configuration: configuration, delegate: Library(), delegateQueue: nil)
let arguments = CommandLine.arguments.dropFirst()

switch arguments.first {
case "start":
    let address = arguments.dropFirst().first ?? "http://127.0.0.1:8765/audiobook"
    guard let url = URL(string: address) else { fatalError("not an address: \(address)") }
    let task = session.downloadTask(with: url)
    task.taskDescription = "audiobook-42"
    task.resume()
    print("started \(name(task))")
    try await Task.sleep(nanoseconds: 2_000_000_000)
    print("start process exiting, received=\(task.countOfBytesReceived)")
case "resume":
    let tasks = await session.allTasks
    print("relaunch sees: \(tasks.map { "\(name($0)) received=\($0.countOfBytesReceived)" })")
    // Lets the transfers end, then tells the delegate, which ends the process.
    session.finishTasksAndInvalidate()
    try await Task.sleep(nanoseconds: 3_600_000_000_000)
default:
    print("usage: lesson-program start [URL] | resume")
}
