// Forms that exist so that code compiles and a background session can refuse them. A background transfer
// outlives the process, and a closure, a continuation, data in memory or a stream does not. They will work
// on process-bound sessions, which are not available yet.

extension URLSession {
    private static let handlerRule =
        "a background session does not take completion handlers: its tasks outlive the process; use a delegate"
    private static let asyncRule =
        "a background session does not take async transfers: its tasks outlive the process; use a delegate"
    private static let fileRule =
        "a background session uploads from a file only: data and streams do not outlive the process; "
        + "use uploadTask(with:fromFile:)"

    @preconcurrency
    public func dataTask(
        with url: URL, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask { refuse(Self.handlerRule) }

    @preconcurrency
    public func dataTask(
        with request: URLRequest,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask { refuse(Self.handlerRule) }

    @preconcurrency
    public func downloadTask(
        with url: URL, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask { refuse(Self.handlerRule) }

    @preconcurrency
    public func downloadTask(
        with request: URLRequest,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask { refuse(Self.handlerRule) }

    @preconcurrency
    public func downloadTask(
        withResumeData resumeData: Data,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask { refuse(Self.handlerRule) }

    @preconcurrency
    public func uploadTask(
        with request: URLRequest, fromFile fileURL: URL,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask { refuse(Self.handlerRule) }

    @preconcurrency
    public func uploadTask(
        with request: URLRequest, from bodyData: Data?,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask { refuse(Self.handlerRule) }

    public func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
        refuse(Self.fileRule)
    }

    public func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
        refuse(Self.fileRule)
    }

    public func data(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) { refuse(Self.asyncRule) }

    public func data(
        from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) { refuse(Self.asyncRule) }

    public func download(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) { refuse(Self.asyncRule) }

    public func download(
        from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) { refuse(Self.asyncRule) }

    public func download(
        resumeFrom resumeData: Data, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) { refuse(Self.asyncRule) }

    public func upload(
        for request: URLRequest, fromFile fileURL: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) { refuse(Self.asyncRule) }

    public func upload(
        for request: URLRequest, from bodyData: Data, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) { refuse(Self.asyncRule) }
}
