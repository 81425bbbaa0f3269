// Looks at sources where looking may never end: a file system that hangs must hold nobody but its own uploads.
// Each piece of work has a thread of its own, which ends with it. Any thread.
import Foundation

final class SourceWorker: @unchecked Sendable {
    // Unchecked: `lock` guards all of it.
    /// Beyond so many at once, the others wait: each that hangs keeps a thread.
    private static let most = 512
    private static let stackSize = 256 << 10

    private let lock = NSLock()
    private var busy = 0
    private var waiting: [@Sendable () -> Void] = []

    func run(_ work: @escaping @Sendable () -> Void) {
        let mayStart = lock.withLock {
            guard busy < Self.most else {
                waiting.append(work)
                return false
            }
            busy += 1
            return true
        }
        if mayStart { start(work) }
    }

    private func start(_ work: @escaping @Sendable () -> Void) {
        let thread = Thread { [self] in
            var next: (@Sendable () -> Void)? = work
            while let work = next {
                work()
                next = another()
            }
        }
        thread.name = "upload source"
        thread.stackSize = Self.stackSize
        thread.start()
    }

    private func another() -> (@Sendable () -> Void)? {
        lock.withLock {
            if !waiting.isEmpty { return waiting.removeFirst() }
            busy -= 1
            return nil
        }
    }
}
