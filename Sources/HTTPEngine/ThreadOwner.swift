// The one thread that may touch libcurl. Everything that does asks here first.
import Foundation

final class ThreadOwner: @unchecked Sendable {
    // Unchecked: set once by the thread itself before anything else of the engine runs on it.
    private var thread: pthread_t?

    func becomeOwner() { thread = pthread_self() }

    var isCurrent: Bool { thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }

    func check() { precondition(isCurrent, "libcurl is touched on its own thread only") }
}
