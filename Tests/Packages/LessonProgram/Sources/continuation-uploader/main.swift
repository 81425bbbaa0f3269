// The uploader: an async function for each file, whose continuation waits in a dictionary under the task's
// description. What comes without a continuation belongs to an earlier life, and is written down all the same.
import BackgroundURLSession
import Foundation

final class Uploader: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let lock = NSLock()
    private var waiting: [String: CheckedContinuation<Int, Error>] = [:]
    private var answers: [String: Data] = [:]
    private let folder: URL

    private lazy var session: URLSession = {
        let configuration = URLSessionConfiguration.background(withIdentifier: "com.example.uploads")
        configuration.httpMaximumConnectionsPerHost = 2
        return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    }()

    init(folder: URL) { self.folder = folder }

    func pending() async -> [String] { await session.tasks.1.compactMap(\.taskDescription).sorted() }

    func isDone(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: folder.appendingPathComponent(name + ".done").path)
    }

    func upload(_ name: String, to url: URL) async throws -> Int {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        let task = session.uploadTask(with: request, fromFile: folder.appendingPathComponent(name))
        task.taskDescription = name
        return try await withCheckedThrowingContinuation { continuation in
            lock.withLock { waiting[name] = continuation }
            task.resume()
            print("queued \(name)")
        }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        lock.withLock { answers[dataTask.taskDescription ?? "", default: Data()].append(data) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        let name = task.taskDescription ?? ""
        let (continuation, answer) = lock.withLock {
            (waiting.removeValue(forKey: name), answers.removeValue(forKey: name) ?? Data())
        }
        let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
        let text = String(decoding: answer, as: UTF8.self).split(separator: "\n").first ?? ""
        print("completed \(name) \(status) \(text)")
        if error == nil {
            FileManager.default.createFile(
                atPath: folder.appendingPathComponent(name + ".done").path, contents: answer)
        }
        if let error {
            continuation?.resume(throwing: error)
        } else {
            continuation?.resume(returning: status)
        }
    }
}

setlinebuf(stdout)
let uploader = Uploader(folder: URL(fileURLWithPath: CommandLine.arguments[2]))
let server = CommandLine.arguments[1]
let underWay = await uploader.pending()
print("under way \(underWay)")
await withTaskGroup(of: Void.self) { group in
    for name in ["one", "two"] where !underWay.contains(name) && !uploader.isDone(name) {
        guard let url = URL(string: "\(server)/uploads/\(name)?hold=\(name)&holdat=150000") else { continue }
        group.addTask {
            let status = try? await uploader.upload(name, to: url)
            print("returned \(name) \(status ?? -1)")
        }
    }
}
// Those of an earlier life have no function that waits for them.
while !["one", "two"].allSatisfy(uploader.isDone) { try await Task.sleep(nanoseconds: 50_000_000) }
