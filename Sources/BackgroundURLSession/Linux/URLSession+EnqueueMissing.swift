// What only Linux has on a session: asking first and queueing, in one step of the service. Elsewhere a program
// asks `allTasks` and queues the rest; between the two a transfer may end.
import Foundation

extension URLSession {
    /// Linux only. What became of a wish to queue what is missing.
    public enum EnqueueOutcome: Sendable {
        /// It was missing: this task was made, and runs.
        case queued(URLSessionDownloadTask)
        /// A task of this description waits, runs, or has a result that was not acknowledged.
        case exists(taskIdentifier: Int)
    }

    /// Linux only. Makes and resumes a download unless the session has one of that description which waits, runs,
    /// or has a result that was not acknowledged; one that was never resumed is resumed. On the service's disk
    /// when it returns. What has failed, or is being cancelled, does not count.
    /// - Parameters:
    ///   - request: without a body.
    ///   - description: the task's `taskDescription`; not empty.
    ///   - resumeData: goes on from there, if it is made; used up only then.
    ///   - completionHandler: called once, on a thread that must not be kept; it may call this session.
    public func enqueueMissing(
        _ request: URLRequest, description: String, resumeData: Data? = nil,
        completionHandler: @escaping @Sendable (Result<EnqueueOutcome, ServiceError>) -> Void
    ) {
        core.enqueueMissing(
            request, description: description, resumeData: resumeData, completionHandler)
    }

    /// As `enqueueMissing(_:description:resumeData:completionHandler:)`.
    public func enqueueMissing(
        _ request: URLRequest, description: String, resumeData: Data? = nil
    ) async throws(ServiceError) -> EnqueueOutcome {
        let result = await withCheckedContinuation { done in
            core.enqueueMissing(request, description: description, resumeData: resumeData) {
                done.resume(returning: $0)
            }
        }
        return try result.get()
    }
}
