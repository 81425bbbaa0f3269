// Moves bytes with libcurl on one thread of its own. It has no opinions: it does not retry, resume, decide
// what an answer means, or know what a transfer is for. Any thread may call it; it reports on curl's.
import Foundation

public final class HTTPEngine: Sendable {
    private let thread: EngineThread
    private let report: @Sendable (EngineReport) -> Void

    /// `report` is called on curl's thread, in order, and must return at once: no transfer moves until then.
    public init(report: @escaping @Sendable (EngineReport) -> Void) {
        self.report = report
        thread = EngineThread(report: report)
    }

    /// Starts a transfer. Whatever happens to it, `.ended` comes exactly once. `id` must not be running.
    /// After `shutdown` the transfer ends as cancelled, reported on the calling thread.
    public func start(_ id: TransferID, _ request: EngineRequest) {
        if !thread.post(.start(id, request)) { report(.ended(id, .neverStarted(request, .cancelled))) }
    }

    /// Ends a transfer as `.cancelled`; what it received stays in its sink. Nothing happens to one that has
    /// ended already.
    public func cancel(_ id: TransferID) { thread.post(.cancel(id)) }

    /// Stops reading and sending: the peer notices by its full window. Idle time is not counted meanwhile.
    public func pause(_ id: TransferID) { thread.post(.pause(id)) }

    public func unpause(_ id: TransferID) { thread.post(.unpause(id)) }

    /// Forgets the cookies of a jar, on disk too. Transfers that run end with what they were given.
    public func emptyJar(_ path: String) { thread.post(.emptyJar(path)) }

    /// Cancels everything and returns when curl's thread has ended and all its memory is freed. From
    /// within a report it returns at once, and the thread ends after that report.
    public func shutdown() {
        thread.post(.shutdown)
        thread.join()
    }

    /// curl's own version, for logs and `doctor` pages.
    public static var curlVersion: String { CurlVersion.text }

    // No curl work here, only the word to stop: the last reference may go anywhere.
    deinit { thread.post(.shutdown) }
}
