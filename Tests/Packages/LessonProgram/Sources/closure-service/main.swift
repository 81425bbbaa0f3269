// The singleton: one service object for the whole app, a closure for each file, and a metadata store that
// says where a file belongs, so that a result which comes without its closure finds its place too.
import BackgroundURLSession
import Foundation

/// What is remembered of a download, by its task's identifier.
struct Metadata: Codable {
    var remote: URL
    var local: URL
}

final class MetadataStore {
    private let file: URL
    init(_ file: URL) { self.file = file }

    private func load() -> [String: Metadata] {
        guard let data = try? Data(contentsOf: file) else { return [:] }
        return (try? JSONDecoder().decode([String: Metadata].self, from: data)) ?? [:]
    }

    subscript(_ identifier: Int) -> Metadata? {
        get { load()["\(identifier)"] }
        set {
            var all = load()
            all["\(identifier)"] = newValue
            try? JSONEncoder().encode(all).write(to: file, options: .atomic)
        }
    }

    var isEmpty: Bool { load().isEmpty }
}

final class TransferService: NSObject, URLSessionDownloadDelegate {
    static let shared = TransferService()

    typealias Completion = (Result<URL, Error>) -> Void
    private let folder = URL(fileURLWithPath: CommandLine.arguments[2])
    private lazy var store = MetadataStore(folder.appendingPathComponent("metadata.json"))
    private var completions: [Int: Completion] = [:]

    private lazy var session: URLSession = {
        let configuration = URLSessionConfiguration.background(withIdentifier: "com.example.closures")
        configuration.isDiscretionary = false
        configuration.sessionSendsLaunchEvents = true
        return URLSession(configuration: configuration, delegate: self, delegateQueue: .main)
    }()

    func wake() { _ = session }

    var isDone: Bool { store.isEmpty }

    func download(_ remote: URL, to name: String, completion: @escaping Completion) {
        let task = session.downloadTask(with: remote)
        store[task.taskIdentifier] = Metadata(remote: remote, local: folder.appendingPathComponent(name))
        completions[task.taskIdentifier] = completion
        task.resume()
        print("queued \(task.taskIdentifier)")
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        guard let metadata = store[downloadTask.taskIdentifier] else { return }
        let status = (downloadTask.response as? HTTPURLResponse)?.statusCode ?? 0
        print("arrived \(downloadTask.taskIdentifier) status=\(status)")
        let completion = completions[downloadTask.taskIdentifier]
        do {
            try? FileManager.default.removeItem(at: metadata.local)
            try FileManager.default.moveItem(at: location, to: metadata.local)
            completion?(.success(metadata.local))
        } catch {
            completion?(.failure(error))
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        print("completed \(task.taskIdentifier) \(error.map { "\($0)" } ?? "nil")")
        if let error { completions[task.taskIdentifier]?(.failure(error)) }
        completions[task.taskIdentifier] = nil
        store[task.taskIdentifier] = nil
        if isDone { exit(0) }
    }
}

setlinebuf(stdout)
let service = TransferService.shared
service.wake()
if service.isDone {
    for name in ["one", "two"] {
        let address = CommandLine.arguments[1] + "/bytes/300000/\(name)?hold=\(name)&holdat=150000"
        guard let url = URL(string: address) else { exit(64) }
        service.download(url, to: name) { result in
            print("closure \(name) \((try? result.get().lastPathComponent) ?? "failed")")
        }
    }
}
RunLoop.main.run()
