/// A task that sends a file. Its answer's body comes as a data task's does.
open class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {
    /// Cancels; resume data is always nil on Linux, where uploads begin at 0. The handler does not need the
    /// calling thread.
    @preconcurrency
    open func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
        cancel()
        core.callBack { completionHandler(nil) }
    }

    /// As `cancel(byProducingResumeData:)`.
    open func cancelByProducingResumeData() async -> Data? {
        cancel()
        return nil
    }
}
