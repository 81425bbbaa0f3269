// Coalesced callers: who asks for an address that is on its way already joins those who wait. When the last
// of them turns away, the download is paused by resume data, which the next one who asks goes on from.
import BackgroundURLSession
import Foundation

final class CoalescingDownloader: NSObject, URLSessionDownloadDelegate {
    typealias Caller = (URL?, Error?) -> Void

    private let folder: URL
    private let queue = OperationQueue()
    private var callers: [String: [Caller]] = [:]
    private var session: URLSession!
    private var tasks: [String: URLSessionDownloadTask] = [:]

    init(folder: URL) {
        self.folder = folder
        super.init()
        queue.maxConcurrentOperationCount = 1
        session = URLSession(
            configuration: .background(withIdentifier: "com.example.coalescing"), delegate: self,
            delegateQueue: queue)
    }

    private func resumeData(_ name: String) -> URL { folder.appendingPathComponent(name + ".resume") }

    /// Joins, goes on from what was kept, or begins.
    func get(_ url: URL, caller: @escaping Caller) {
        session.getTasksWithCompletionHandler { _, _, downloads in
            let name = url.lastPathComponent
            self.callers[name, default: []].append(caller)
            if let running = self.tasks[name] ?? downloads.first(where: { $0.taskDescription == name }) {
                self.tasks[name] = running
                return print("joined \(name)")
            }
            let task: URLSessionDownloadTask
            if let kept = try? Data(contentsOf: self.resumeData(name)) {
                try? FileManager.default.removeItem(at: self.resumeData(name))
                task = self.session.downloadTask(withResumeData: kept)
                print("goes on \(name)")
            } else {
                task = self.session.downloadTask(with: url)
                print("began \(name)")
            }
            task.taskDescription = name
            self.tasks[name] = task
            task.resume()
        }
    }

    /// Everybody has turned away.
    func pause(_ name: String, done: @escaping () -> Void) {
        queue.addOperation {
            self.callers[name] = nil
            guard let task = self.tasks.removeValue(forKey: name) else { return done() }
            task.cancel { data in
                try? data?.write(to: self.resumeData(name), options: .atomic)
                print("paused \(name) \(data == nil ? "without" : "with") resume data")
                done()
            }
        }
    }

    var received: Int64 { tasks.values.map(\.countOfBytesReceived).max() ?? 0 }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {
        print("resumed at \(fileOffset) of \(expectedTotalBytes)")
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        let name = downloadTask.taskDescription ?? ""
        let place = folder.appendingPathComponent(name)
        try? FileManager.default.moveItem(at: location, to: place)
        callers[name]?.forEach { $0(place, nil) }
        callers[name] = nil
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        let name = task.taskDescription ?? ""
        if (error as? URLError)?.code == .cancelled { return print("let go of \(name)") }
        print("completed \(name) \(error.map { "\($0)" } ?? "nil")")
        callers[name]?.forEach { $0(nil, error) }
        exit(0)
    }
}

setlinebuf(stdout)
let folder = URL(fileURLWithPath: CommandLine.arguments[2])
let downloader = CoalescingDownloader(folder: folder)
guard let url = URL(string: CommandLine.arguments[1] + "/bytes/400000/model?hold=model&holdat=200000")
else { exit(64) }
let answer: CoalescingDownloader.Caller = {
    print("answered \($0?.lastPathComponent ?? "\($1.map { "\($0)" } ?? "nothing")")")
}
downloader.get(url, caller: answer)
downloader.get(url, caller: answer)
if CommandLine.arguments.dropFirst(3).first == "pause" {
    DispatchQueue.global().async {
        while downloader.received < 200_000 { usleep(20_000) }
        downloader.pause("model") { exit(0) }
    }
}
RunLoop.main.run()
