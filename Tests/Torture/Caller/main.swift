// What a torture campaign kills beside bgtool: a program that wants files, by DownloadService, and is started
// again until it has them all. A file that is in place is an answer too, since the program may have been killed
// when everything was done but its own last line.
//
//   torture-caller FOLDER NAME=URL…
//
// Ends with 0 when every file is there.

import BackgroundURLSession
import Downloads
import Foundation

func say(_ line: String) {
    print(line)
    fflush(nil)
}

/// False for what is to be asked for again.
func isThere(_ request: DownloadRequest, _ result: Result<Downloaded, DownloadError>) -> Bool {
    switch result {
    case .success(.file(let path)):
        say("answer \(request.name) \(path)")
        return true
    case .success(.bytes):
        say("answer \(request.name) bytes")
        return false
    case .failure(.fileSystem(PlacementError.destinationExists)):
        say("there \(request.name)")
        return true
    case .failure(let error):
        say("failed \(request.name) \(error)")
        return false
    }
}

/// Whether every file is there, as soon as all are answered. Any thread.
final class Outcome: @unchecked Sendable {
    // Unchecked: guarded by `lock`.
    private let lock = NSLock()
    private let group = DispatchGroup()
    private var isComplete = true

    func expect() { group.enter() }

    func note(_ isThere: Bool) {
        lock.withLock { isComplete = isComplete && isThere }
        group.leave()
    }

    func wait() -> Bool {
        group.wait()
        return lock.withLock { isComplete }
    }
}

let words = CommandLine.arguments.dropFirst()
guard let folder = words.first, words.count > 1 else {
    print("usage: torture-caller FOLDER NAME=URL…")
    exit(64)
}
let requests = words.dropFirst().compactMap { word -> DownloadRequest? in
    let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2, let url = URL(string: parts[1]) else { return nil }
    return DownloadRequest(url, folder: folder, filename: parts[0], name: parts[0])
}

let service = try DownloadService(
    configuration: .background(withIdentifier: "calls"),
    fallback: { news in say("unclaimed \(news.name ?? "-") \(news.result)") })
let outcome = Outcome()
for request in requests {
    outcome.expect()
    service.download(request) { outcome.note(isThere(request, $0)) }
}
let isComplete = outcome.wait()
try service.commit()
exit(isComplete ? 0 : 1)
