// Downloads with callers: closures and async calls over one session. Where a file belongs is written down and
// outlives the process; a caller does not, and a result whose caller is gone goes to the fallback. Any thread.
// What is hard is decided by `WishLedger`; `DownloadDesk` carries it out.

import BackgroundURLSession
import Foundation

/// Downloads over a background or a process-bound session.
///
/// One object for each session and process, made at every launch: it takes up what earlier processes left,
/// delivers what waits, and only then begins what is asked of it.
///
/// When nobody holds the object any more, those who still wait are answered with `.cancelled`. A background
/// session's transfers go on, for the next object; a process-bound session ends.
///
/// Every closure is called on one serial queue of the object's own, and under no lock: it may call this object,
/// and should not block for long. A background session's result is acknowledged when its closures have
/// returned, so that a process killed in the middle of one hears it again in its next life, by the fallback.
public final class DownloadService: Sendable {
    public typealias Completion = @Sendable (Result<Downloaded, DownloadError>) -> Void

    let desk: DownloadDesk

    /// - Parameters:
    ///   - configuration: of the session that is made here; nobody else should make one of its identifier.
    ///   - folder: where the records of wishes are kept, made if it is missing. Nil is
    ///     `BackgroundService.wishesFolder()` for a background session, and a temporary folder otherwise.
    ///   - memory: tells a process-bound session when to let go of what paused wishes hold.
    ///   - progress: hears how far all are, several times a second.
    ///   - fallback: hears results that no caller waits for.
    /// - Throws: `WishStoreError` or `ServiceError` when there is no place for records.
    public init(
        configuration: URLSessionConfiguration, folder: String? = nil,
        memory: any MemoryPressureSource = MemoryPressure(),
        progress: @escaping @Sendable (ProgressBoard) -> Void = { _ in },
        fallback: @escaping @Sendable (UnclaimedDownload) -> Void
    ) throws {
        desk = try DownloadDesk(
            configuration: configuration, folder: folder, memory: memory, progress: progress,
            fallback: fallback)
        desk.launch()
    }

    /// Downloads, or joins whoever waits for the same already.
    /// - Returns: for cancelling this caller's share. `completion` is called exactly once.
    @discardableResult
    public func download(_ request: DownloadRequest, completion: @escaping Completion) -> DownloadToken {
        desk.request(request, completion)
    }

    /// As `download(_:completion:)`. Cancelling the calling task cancels its share.
    public func download(_ request: DownloadRequest) async throws(DownloadError) -> Downloaded {
        let share = CallersShare()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { done in
                share.begin(download(request) { done.resume(returning: $0) }, with: self)
            }
        } onCancel: {
            share.cancel(with: self)
        }
        return try result.get()
    }

    /// Answers that caller with `.cancelled`. Others who want the same are left alone; when it was the last, the
    /// transfer is paused and its bytes are kept for the next request, in this process or a later one of a
    /// background session. Nothing happens to a caller that was answered.
    public func cancel(_ token: DownloadToken) { desk.cancel(token) }

    /// Begins a transfer for its own sake, whether or not there is one: its result goes to the fallback. It is
    /// the blind way; see `enqueueMissing`.
    public func enqueue(_ request: DownloadRequest) { desk.enqueue(request) }

    /// Begins those of these that are missing, for their own sake: not one whose transfer waits, runs, or has a
    /// result that was not delivered, nor one whose file was put in place before and is there still. The service
    /// decides, so that a transfer that ends at this moment is not begun again. A paused wish goes on; one that
    /// failed or was cancelled begins anew. Results go to the fallback.
    /// - Returns: the names of those that were begun, on the service's disk by then.
    /// - Throws: the first `WishStoreError` or `ServiceError`; the others are dealt with all the same.
    public func enqueueMissing(_ files: [DownloadRequest]) async throws -> [String] {
        try await withCheckedThrowingContinuation { done in
            desk.enqueueMissing(files) { done.resume(with: $0) }
        }
    }

    /// Waits until everything asked for so far is on the service's disk, what paused wishes hold is written down,
    /// and the results that were told are acknowledged: what a program does last. It blocks, at first for the
    /// launch, and must not be called by a closure of this object's.
    public func commit() throws { try desk.commit() }

    /// How far all are, and each by its name.
    public var progress: ProgressBoard { desk.board }

    /// Cancels every transfer and ends the session; each caller is answered. Nothing can be downloaded any more:
    /// whoever asks is answered with `.cancelled`.
    public func invalidateAndCancel() { desk.invalidateAndCancel() }
}

/// A token that may be cancelled before it is there.
private final class CallersShare: @unchecked Sendable {
    // Unchecked: both are guarded by `lock`.
    private let lock = NSLock()
    private var token: DownloadToken?
    private var isCancelled = false

    func begin(_ token: DownloadToken, with service: DownloadService) {
        let isLate = lock.withLock {
            self.token = token
            return isCancelled
        }
        if isLate { service.cancel(token) }
    }

    func cancel(with service: DownloadService) {
        let token = lock.withLock {
            isCancelled = true
            return self.token
        }
        if let token { service.cancel(token) }
    }
}
