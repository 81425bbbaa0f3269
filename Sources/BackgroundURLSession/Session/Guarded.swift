// A value behind a lock, for objects that any thread may use. NSLock: ThreadSanitizer reports false races
// with Synchronization.Mutex here.
import Foundation

final class Guarded<Value>: @unchecked Sendable {
    // Unchecked: `value` is touched only while `lock` is held.
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    /// Runs `body` with the lock held. It must not call out.
    func with<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
