// What a session tells its delegate about data and upload tasks.

/// Messages about data tasks, and about upload tasks, which are data tasks.
@preconcurrency
public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
    /// Not asked for background uploads: read `task.response`.
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void)
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition

    /// The data task became a download, since the delegate answered `.becomeDownload`. The download has its
    /// identifier and goes on in its place; the data task says nothing more.
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didBecome downloadTask: URLSessionDownloadTask)

    /// The next piece of the answer's body. An upload's answer comes when the upload has ended, also to a
    /// later process.
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)

    /// Declared so that code compiles: nothing is cached on Linux, and it is never asked.
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void)
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse
    ) async -> CachedURLResponse?
}

extension URLSessionDataDelegate {
    public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        Task { completionHandler(await self.urlSession(session, dataTask: dataTask, didReceive: response)) }
    }

    public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition {
        DefaultMark.set(by: self)
        return .allow
    }

    public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didBecome downloadTask: URLSessionDownloadTask
    ) { DefaultMark.set(by: self) }

    public func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        DefaultMark.set(by: self)
    }

    public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        Task {
            completionHandler(
                await self.urlSession(
                    session, dataTask: dataTask, willCacheResponse: proposedResponse))
        }
    }

    public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse
    ) async -> CachedURLResponse? {
        DefaultMark.set(by: self)
        return proposedResponse
    }
}
