// An app that keeps the rules of docs/lessons/apple-platforms.md: one session object, made at every launch;
// tasks known by their description; the file moved before the method returns, if its status is one of success;
// the completion handler called when the events are finished. What only Linux has is marked.
import BackgroundURLSession
import Foundation

final class Library: NSObject, URLSessionDownloadDelegate, @unchecked Sendable {
    // Unchecked: `completion` is the main queue's.
    static let shared = Library()
    static let identifier = "com.example.library.woken"

    private var completion: (@Sendable () -> Void)?
    let resumeShelf = ResumeShelf(
        folder: FileManager.default.temporaryDirectory.appendingPathComponent("library-resume"))

    /// The one session object of this process.
    private(set) lazy var session: URLSession = {
        let configuration = URLSessionConfiguration.background(withIdentifier: Self.identifier)
        configuration.isDiscretionary = false
        // Linux.
        configuration.launchCommand = .thisProgram(["woken"])
        return URLSession(configuration: configuration, delegate: self, delegateQueue: .main)
    }()

    /// The app delegate's method: make the session, and wait for the end of its events.
    func whenEventsEnd(of identifier: String, _ completion: @escaping @Sendable () -> Void) {
        print("woken for \(identifier)")
        self.completion = completion
        _ = session
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        let name = downloadTask.taskDescription ?? "nameless"
        let status = (downloadTask.response as? HTTPURLResponse)?.statusCode ?? 0
        guard (200..<300).contains(status) else { return print("refused \(name) \(status)") }
        do {
            // Here and not later: when this method has returned, the file is gone.
            try FileManager.default.moveItem(at: location, to: URL(fileURLWithPath: name))
            show("moved \(name)")
        } catch {
            print("not moved \(name): \(error.localizedDescription)")
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        if let name = task.taskDescription, let data = (error as? URLError)?.downloadTaskResumeData {
            resumeShelf.put(data, for: name)
        }
        print("complete \(task.taskDescription ?? "nameless") \(error.map(advice) ?? "nil")")
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        print("events finished")
        completion?()
        completion = nil
    }

    /// What a person is told.
    private func advice(_ error: any Error) -> String {
        let error = error as NSError
        switch error.code {
        case NSURLErrorFileDoesNotExist:
            let path = error.userInfo[NSFilePathErrorKey] as? String ?? "the file"
            return
                "\(path) was deleted before it had been uploaded. If you want it sent, put it back and ask again."
        case NSURLErrorCancelled where error.userInfo[NSURLErrorBackgroundTaskCancelledReasonKey] as? Int == 0:
            return "you have quit the app; ask again if you want it."
        default:
            return error.userInfo[NSURLSessionDownloadTaskResumeData] is Data
                ? "interrupted; the next request goes on from there." : error.localizedDescription
        }
    }
}

BackgroundLaunch.onEvents { identifier, completion in
    Library.shared.whenEventsEnd(of: identifier, completion)
}
if BackgroundLaunch.runVisit() { exit(0) }

guard CommandLine.arguments.count == 3, let address = URL(string: CommandLine.arguments[2]) else {
    print("usage: woken-program NAME ADDRESS")
    exit(64)
}
Library.shared.ask(for: CommandLine.arguments[1], at: address)
print("asked for \(CommandLine.arguments[1])")
