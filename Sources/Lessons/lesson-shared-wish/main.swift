// Experiment 15: several callers want one address. One request; each is answered once; cancelling one leaves the
// others; cancelling the last pauses and keeps the bytes for the next process.
//
//   lesson-shared-wish URL [OPTION…]
//
//   --into FOLDER      where the file belongs; without it each is answered the bytes
//   --callers N        how many want it (1)
//   --cancel N         the Nth caller cancels at once
//   --pause-at BYTES   all cancel when so much has arrived
//   --again            and one more asks for it then
//   --missing          queued unless it is there, and waited for without a caller
//   --bound            over a session that ends with the process
//   --low              memory runs low whenever somebody listens for that
//
// It prints `answer N …` for each caller and `unclaimed …` for results that no caller waits for.

import BackgroundURLSession
import Downloads
import Foundation

struct Arguments {
    var url = ""
    var folder: String?
    var callers = 1
    var cancelled: Int?
    var pauseAt: Int64?
    var asksFirst = false
    var asksAgain = false
    var isBound = false
    var isLow = false

    init(_ words: [String]) {
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "--into": folder = rest.popFirst()
            case "--callers": callers = rest.popFirst().flatMap { Int($0) } ?? 1
            case "--cancel": cancelled = rest.popFirst().flatMap { Int($0) }
            case "--pause-at": pauseAt = rest.popFirst().flatMap { Int64($0) }
            case "--missing": asksFirst = true
            case "--again": asksAgain = true
            case "--bound": isBound = true
            case "--low": isLow = true
            default: url = word
            }
        }
    }
}

func say(_ line: String) {
    print(line)
    fflush(nil)
}

func words(_ result: Result<Downloaded, DownloadError>) -> String {
    switch result {
    case .success(.file(let path)): "file \(path)"
    case .success(.bytes(let data)): "bytes \(data.count)"
    case .failure(.cancelled): "cancelled"
    case .failure(let error): "failed: \(error)"
    }
}

/// Counts what is still to come; any thread.
final class Outstanding: @unchecked Sendable {
    private let group = DispatchGroup()
    private let half = DispatchSemaphore(value: 0)

    init(_ count: Int) { for _ in 0..<count { group.enter() } }

    func came() { group.leave() }
    func wait() { group.wait() }
    func reached() { half.signal() }
    func waitUntilReached() { half.wait() }
}

/// Memory that runs low as soon as somebody listens.
struct AlwaysLow: MemoryPressureSource {
    func begin(_ letGo: @escaping @Sendable () -> Void) { letGo() }
    func end() {}
}

let arguments = Arguments(Array(CommandLine.arguments.dropFirst()))
guard let url = URL(string: arguments.url), url.scheme != nil else {
    say(
        "usage: lesson-shared-wish URL [--into FOLDER] [--callers N] [--cancel N] [--pause-at BYTES] [--missing]"
    )
    exit(64)
}

let request = DownloadRequest(url, folder: arguments.folder)
let outstanding = Outstanding(arguments.asksFirst ? 0 : arguments.callers)
let unclaimed = Outstanding(arguments.asksFirst ? 1 : 0)
let service = try DownloadService(
    configuration: arguments.isBound ? .default : .background(withIdentifier: "com.example.library.shared"),
    memory: arguments.isLow ? AlwaysLow() : MemoryPressure(),
    progress: { board in
        if let at = arguments.pauseAt, board.whole.done >= at { outstanding.reached() }
    },
    fallback: { result in
        say("unclaimed \(result.request?.url.lastPathComponent ?? "-") \(words(result.result))")
        if arguments.asksFirst { unclaimed.reached() }
    })

if arguments.asksFirst {
    let begun = try await service.enqueueMissing([request])
    say(begun.isEmpty ? "already there" : "queued")
    if !begun.isEmpty { unclaimed.waitUntilReached() }
} else {
    let tokens = (1...max(1, arguments.callers)).map { number in
        service.download(request) { result in
            say("answer \(number) \(words(result))")
            outstanding.came()
        }
    }
    if let number = arguments.cancelled, tokens.indices.contains(number - 1) {
        service.cancel(tokens[number - 1])
    }
    if arguments.pauseAt != nil {
        outstanding.waitUntilReached()
        for token in tokens { service.cancel(token) }
    }
    outstanding.wait()
}
try service.commit()

if arguments.asksAgain {
    let result: Result<Downloaded, DownloadError>
    do {
        result = .success(try await service.download(request))
    } catch {
        result = .failure(error)
    }
    say("again \(words(result))")
    try service.commit()
}
