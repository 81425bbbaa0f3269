// What only Linux has on a task.

extension URLSessionTask {
    /// Linux only. Called inside `didFinishDownloadingTo`, or before: this process is still told of the task's
    /// events, and the service keeps the result for the next process all the same. For a file that arrived and
    /// could not be put where it belongs.
    public func keepUndelivered() { fields.with { $0.keepsUndelivered = true } }

    /// Linux only. Whether `keepUndelivered` was called.
    public var isKeptUndelivered: Bool { fields.with { $0.keepsUndelivered } }
}
