// Experiment 5: the same wish queued again at relaunch, blindly, by identifier, and by the service's own word.
// Measured on the real service; the server decides when a transfer ends.
//
//   lesson-asked-twice [SERVER]     SERVER is the slow server's address, by default http://127.0.0.1:8765

import BackgroundURLSession
import Downloads
import Foundation

let server = Server(origin: CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8765")

/// Puts nothing anywhere: what arrives is taken and dropped, as an app does that has what it wants.
final class Taker: NSObject, URLSessionDownloadDelegate {
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {}
}

/// Carries out one order from a start of its own.
func measure(
    _ label: String, _ order: Replay.Order, _ begin: (World) async throws -> Player
) async throws -> [String] {
    let world = World(server: server, run: "\(label)/\(order.rawValue)")
    let player = try await begin(world)
    try await world.arrive()
    switch order {
    case .once: try await player.a()
    case .twice:
        try await player.a()
        try await player.a()
    case .ab:
        try await player.a()
        try await player.b()
    case .ba:
        try await player.b()
        try await player.a()
    }
    try await world.arrive()
    let seen = try world.transfers()
    try await player.leave()
    return seen
}

/// The two operations of a line, and what ends it.
struct Player {
    var a: () async throws -> Void
    var b: () async throws -> Void
    var leave: () async throws -> Void
}

/// A session in which the service runs `a.zip`.
func relaunched(_ world: World) throws -> URLSession {
    let configuration = URLSessionConfiguration.background(withIdentifier: world.session)
    let session = URLSession(configuration: configuration, delegate: Taker(), delegateQueue: nil)
    try queueBlindly(world, session)
    try session.commit()
    return session
}

func queueBlindly(_ world: World, _ session: URLSession) throws {
    let task = session.downloadTask(with: try world.heldRequest())
    task.taskDescription = World.name
    task.resume()
}

func queueIfMissing(_ world: World, _ session: URLSession) async throws {
    _ = await AskThenQueue.enqueue(try world.heldRequest(), description: World.name, in: session)
}

func withoutChecking(_ world: World) async throws -> Player {
    let session = try relaunched(world)
    let again = {
        try queueBlindly(world, session)
        try session.commit()
    }
    return Player(a: again, b: again, leave: session.invalidateAndCancel)
}

func byIdentifier(_ world: World) async throws -> Player {
    let session = try relaunched(world)
    let again = { try await queueIfMissing(world, session) }
    return Player(a: again, b: again, leave: session.invalidateAndCancel)
}

func finishAndQueue(_ world: World) async throws -> Player {
    let session = try relaunched(world)
    return Player(
        a: world.finish, b: { try await queueIfMissing(world, session) }, leave: session.invalidateAndCancel)
}

func byWish(_ world: World) async throws -> Player {
    let folder = FileManager.default.temporaryDirectory.path + "/" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let file = folder + "/" + World.name
    let wish = DownloadRequest(
        try world.sameURL(), folder: folder, filename: World.name, name: World.name)
    let service = try DownloadService(
        configuration: .background(withIdentifier: world.session), folder: folder + "/wishes"
    ) { _ in }
    let enqueue = { _ = try await service.enqueueMissing([wish]) }
    try await enqueue()
    return Player(
        a: {
            try await world.finish()
            try await world.wait("the file to be in place") {
                FileManager.default.fileExists(atPath: file)
            }
        }, b: enqueue,
        leave: {
            // Its records are still written to until then.
            try service.commit()
            service.invalidateAndCancel()
            // The service's last records may still be written there.
            try await world.wait("\(folder) to go") {
                try? FileManager.default.removeItem(atPath: folder)
                return !FileManager.default.fileExists(atPath: folder)
            }
        })
}

let lines: [(String, (World) async throws -> Player)] = [
    ("queue-without-checking", withoutChecking), ("by-identifier", byIdentifier),
    ("finish-and-queue", finishAndQueue), ("by-wish", byWish),
]

do {
    var replays: [Replay] = []
    for (label, begin) in lines {
        var seen: [Replay.Order: [String]] = [:]
        for order in Replay.Order.allCases { seen[order] = try await measure(label, order, begin) }
        let replay = Replay(label: label, seen: seen)
        print(replay.line)
        replays.append(replay)
    }
    for kind in Replay.Class.allCases {
        print("\(kind.rawValue): \(replays.count { $0.classification == kind })")
    }
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
