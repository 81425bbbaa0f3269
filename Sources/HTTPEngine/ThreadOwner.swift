// The one thread that may touch libcurl. Everything that does asks here first.
import Foundation

final class ThreadOwner: @unchecked Sendable {
    // Unchecked: `lock` guards all of it; any thread may ask.
    private let lock = NSLock()
    private var thread: pthread_t?

    func becomeOwner() { lock.withLock { thread = pthread_self() } }

    var isCurrent: Bool {
        lock.withLock { thread }.map { pthread_equal($0, pthread_self()) != 0 } ?? false
    }

    func check() { precondition(isCurrent, "libcurl is touched on its own thread only") }
}
