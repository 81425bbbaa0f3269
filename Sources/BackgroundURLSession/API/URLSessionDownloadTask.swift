/// A task that downloads to a file.
open class URLSessionDownloadTask: URLSessionTask, @unchecked Sendable {
    /// Ends the task with `-999`, and keeps what it holds when it can be resumed: a GET over HTTP whose
    /// answer had a strong ETag or a usable Last-Modified.
    /// - Parameter completionHandler: given data for `downloadTask(withResumeData:)`, or nil. It needs
    ///   neither the calling thread nor the delegate queue: a caller may block until it comes.
    @preconcurrency
    open func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
        core.cancelKeeping(self) { [core] data in core.callBack { completionHandler(data) } }
    }

    /// As `cancel(byProducingResumeData:)`.
    open func cancelByProducingResumeData() async -> Data? {
        await withCheckedContinuation { done in core.cancelKeeping(self) { done.resume(returning: $0) } }
    }
}
