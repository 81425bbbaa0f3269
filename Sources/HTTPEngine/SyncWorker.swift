// Makes body bytes durable on a thread of its own: fdatasync can take seconds, and curl's thread has other
// transfers to move. It decides nothing about when; each call is one fdatasync.
import Foundation

final class SyncWorker: Sendable {
    private let queue = DispatchQueue(label: "engine.sync", qos: .utility)

    /// Works on a duplicate of the descriptor, so that the owner may close its own at any time. `done` is
    /// called on the worker's thread with whether the bytes are on the disk.
    func sync(_ descriptor: Int32, done: @escaping @Sendable (Bool) -> Void) {
        let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard own >= 0 else { return done(false) }
        queue.async {
            let isDone = fdatasync(own) == 0
            close(own)
            done(isDone)
        }
    }

    /// Returns when everything asked for is done.
    func wait() { queue.sync {} }
}

/// When to sync one body: every 8 MB or 2 seconds while it grows, one call at a time.
struct SyncPlan {
    private static let bytes: Int64 = 8 << 20
    private static let seconds = 2.0

    private var syncedLength: Int64
    private var lastTime: Double
    private var isRunning = false

    init(length: Int64, now: Double) {
        syncedLength = length
        lastTime = now
    }

    func isDue(length: Int64, now: Double) -> Bool {
        !isRunning && length > syncedLength
            && (length - syncedLength >= Self.bytes || now >= lastTime + Self.seconds)
    }

    /// When to ask again if nothing more happens.
    func deadline(length: Int64) -> Double {
        isRunning || length <= syncedLength ? .infinity : lastTime + Self.seconds
    }

    mutating func begin(_ now: Double) {
        isRunning = true
        lastTime = now
    }

    mutating func end(length: Int64, succeeded: Bool) {
        isRunning = false
        if succeeded { syncedLength = max(syncedLength, length) }
    }
}
