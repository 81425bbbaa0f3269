// Resumable uploads over one background session: a small data task asks the server where it stands, then
// files with the parts follow, one after another, as upload tasks. What is under way is known by description.
import BackgroundURLSession
import Foundation

final class ResumableUpload: NSObject, URLSessionDataDelegate {
    private let server: String
    private let folder: URL
    private let parts = ["part-1", "part-2", "part-3"]
    private var session: URLSession!
    private var state = Data()
    private var hasAsked = false

    init(server: String, folder: URL) {
        self.server = server
        self.folder = folder
        super.init()
        let configuration = URLSessionConfiguration.background(withIdentifier: "com.example.resumable")
        configuration.timeoutIntervalForResource = 60 * 60
        session = URLSession(configuration: configuration, delegate: self, delegateQueue: .main)
    }

    func begin() {
        session.getAllTasks { tasks in
            let uploads = tasks.compactMap { $0 as? URLSessionUploadTask }
            print("under way \(uploads.compactMap(\.taskDescription))")
            if uploads.isEmpty { self.askState() }
        }
    }

    private func askState() {
        if hasAsked { return }
        hasAsked = true
        let task = session.dataTask(with: address("/bytes/16/state?hold=state"))
        task.taskDescription = "state"
        task.resume()
        print("asked state")
    }

    private func address(_ path: String) -> URL {
        guard let url = URL(string: server + path) else { exit(64) }
        return url
    }

    private func isDone(_ part: String) -> Bool {
        FileManager.default.fileExists(atPath: folder.appendingPathComponent(part + ".done").path)
    }

    private func sendNext() {
        guard let part = parts.first(where: { !isDone($0) }) else { exit(0) }
        var request = URLRequest(url: address("/uploads/\(part)?hold=\(part)&holdat=60000"))
        request.httpMethod = "PUT"
        request.setValue("application/offset+octet-stream", forHTTPHeaderField: "Content-Type")
        let task = session.uploadTask(with: request, fromFile: folder.appendingPathComponent(part))
        task.taskDescription = part
        task.countOfBytesClientExpectsToSend = 100_000
        task.resume()
        print("queued \(part)")
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        if !(dataTask is URLSessionUploadTask) { state.append(data) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        let name = task.taskDescription ?? ""
        let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
        print("completed \(name) \(status) \(error.map { "\(($0 as NSError).code)" } ?? "nil")")
        guard task is URLSessionUploadTask else {
            // Asked by an earlier life, which took the answer's way with it.
            if error != nil { return askState() }
            print("state \(state.count)")
            return sendNext()
        }
        if error == nil, (200..<300).contains(status) {
            _ = FileManager.default.createFile(
                atPath: folder.appendingPathComponent(name + ".done").path, contents: nil)
        }
        sendNext()
    }
}

setlinebuf(stdout)
let upload = ResumableUpload(
    server: CommandLine.arguments[1], folder: URL(fileURLWithPath: CommandLine.arguments[2]))
upload.begin()
RunLoop.main.run()
