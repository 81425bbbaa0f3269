// What `make bench` runs as an app: one job a call, through the public API only.
import BackgroundURLSession
import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())

func session(
    _ identifier: String, connections: Int = 6, queues: Bool = false,
    delegate: (any URLSessionDelegate)? = nil
) throws -> URLSession {
    let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
    configuration.httpMaximumConnectionsPerHost = connections
    configuration.leavesEventsUndelivered = queues
    configuration.ownershipPatience = 10
    configuration.timeoutIntervalForRequest = 3600
    let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    try session.waitUntilAttached()
    return session
}

func number(_ index: Int) throws -> Int {
    guard arguments.count > index, let number = Int(arguments[index]) else { throw Misuse() }
    return number
}

struct Misuse: Error {}

func run() throws {
    guard arguments.count >= 2 else { throw Misuse() }
    let identifier = arguments[1]
    switch arguments[0] {
    case "fetch":
        guard arguments.count == 4 else { throw Misuse() }
        let delegate = Fetching(folder: arguments[3])
        try delegate.fetch(list: arguments[2], in: try session(identifier, delegate: delegate))
    case "queue":
        let session = try session(
            identifier, connections: arguments.count > 4 ? try number(4) : 6, queues: true)
        for index in 0..<(try number(3)) {
            guard let url = URL(string: "\(arguments[2])?\(index)") else { throw Misuse() }
            session.downloadTask(with: url).resume()
        }
        try session.commit()
    case "list":
        let count = try Listing(session: try session(identifier)).run()
        print(count)
    case "first":
        let delegate = FirstEvent()
        let session = try session(identifier, delegate: delegate)
        withExtendedLifetime(session) { while true { sleep(1000) } }
    case "own":
        let delegate = Owning()
        let session = try session(identifier, delegate: delegate)
        Line.write("attached")
        withExtendedLifetime(session) { while readLine() != nil {} }
    default:
        throw Misuse()
    }
}

do {
    try run()
} catch is Misuse {
    print("bench-client fetch|queue|list|first|own SESSION …")
    exit(64)
} catch {
    print("bench-client: \(error)")
    exit(1)
}
