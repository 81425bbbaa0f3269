// One start for one order: a session of its own in which the service runs `a.zip`, held by the server until a
// gate is opened. The registry is what the service itself lists as not ended.

import BackgroundURLSession
import Downloads
import Foundation

struct World {
    static let name = "a.zip"

    let session: String
    private let address: String
    private let server: Server
    private let gates = Gates()

    /// - Parameter run: tells this order's requests apart in the server's log.
    init(server: Server, run: String) {
        self.server = server
        session = "com.example.library.asked-twice.\(getpid()).\(run)"
        address = "\(server.origin)/bytes/100000/\(run)/\(Self.name)"
    }

    /// A request that ends when `finish` is called.
    func heldRequest() throws -> URLRequest { URLRequest(url: try url(gate: gates.next(session))) }

    func url(gate: String) throws -> URL {
        guard let url = URL(string: "\(address)?hold=\(gate)") else { throw Trouble.notAnAddress(address) }
        return url
    }

    /// The same at each call: what is asked with it again is the same wish.
    func sameURL() throws -> URL { try url(gate: gates.first(session)) }

    /// The registry.
    func transfers() throws -> [String] {
        try running().map { $0.name ?? "-" }.sorted()
    }

    private func running() throws -> [BackgroundTaskStatus] {
        try BackgroundService.tasks(client: BackgroundService.clientName, session: session)
            .filter { $0.wasResumed && $0.state != .finished && $0.state != .failed }
    }

    /// Until every transfer that exists has reached the server.
    func arrive() async throws {
        try await wait("every transfer to reach the server") {
            try running().allSatisfy { $0.httpStatus != nil }
        }
    }

    /// Lets every transfer end that was begun so far.
    func finish() async throws {
        for gate in gates.all { try await server.release(gate) }
        try await wait("the transfers to end") { try running().isEmpty }
    }

    func wait(_ what: String, until isTrue: () throws -> Bool) async throws {
        let deadline = Date().addingTimeInterval(60)
        while try !isTrue() {
            guard Date() < deadline else { throw Trouble.waited(what) }
            try await Task.sleep(nanoseconds: 20_000_000)
        }
    }
}

enum Trouble: Error, CustomStringConvertible {
    case notAnAddress(String)
    case waited(String)

    var description: String {
        switch self {
        case .notAnAddress(let text):
            "Not an address: \(text). Name the slow server's, such as http://127.0.0.1:8765."
        case .waited(let what): "Waited a minute in vain for \(what). Is the slow server there?"
        }
    }
}

/// The gates of one order, by which the server tells its transfers apart.
private final class Gates: @unchecked Sendable {
    // Unchecked: used by one task, the program's.
    private(set) var all: [String] = []

    func next(_ session: String) -> String {
        all.append("\(session).\(all.count + 1)")
        return all[all.count - 1]
    }

    func first(_ session: String) -> String { all.first ?? next(session) }
}

/// The slow server, which decides when a transfer ends.
struct Server: Sendable {
    let origin: String
    private let session = URLSession(configuration: .ephemeral)

    init(origin: String) { self.origin = origin }

    func release(_ gate: String) async throws {
        guard let url = URL(string: "\(origin)/-/release/\(gate)") else { throw Trouble.notAnAddress(origin) }
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        _ = try await session.data(for: request)
    }
}
