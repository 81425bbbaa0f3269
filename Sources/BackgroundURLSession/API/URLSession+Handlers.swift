// Tasks that report to a closure: their delegate does not hear of their data, their file or their end. On a
// background session they are refused, as on Apple's platforms: a closure does not outlive the process.
import TransferProtocol

extension URLSession {
    private func refuseInBackground(_ rule: String) {
        if !core.isProcessBound { refuse(rule) }
    }

    private func refuseHandlers() {
        refuseInBackground(
            "a background session does not take completion handlers: its tasks outlive the process; "
                + "use a delegate")
    }

    private func refuseBodies() {
        refuseInBackground(
            "a background session uploads from a file only: data and streams do not outlive the process; "
                + "use uploadTask(with:fromFile:)")
    }

    /// A task that gathers its answer in memory. The handler is called once, on the delegate queue.
    @preconcurrency
    public func dataTask(
        with url: URL, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        dataTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    /// As above.
    @preconcurrency
    public func dataTask(
        with request: URLRequest,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        refuseHandlers()
        return core.makeData(request, for: .data(completionHandler))
    }

    /// A task that downloads to a file. The handler is called once, on the delegate queue; the file is gone
    /// when it has returned.
    @preconcurrency
    public func downloadTask(
        with url: URL, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        downloadTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    /// As above.
    @preconcurrency
    public func downloadTask(
        with request: URLRequest,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        refuseHandlers()
        return core.makeDownload(request, for: .file(completionHandler))
    }

    /// As above, from what an earlier task held.
    @preconcurrency
    public func downloadTask(
        withResumeData resumeData: Data,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        refuseHandlers()
        return core.makeDownload(resumeData: resumeData, for: .file(completionHandler))
    }

    /// A task that sends a file and gathers the answer in memory.
    @preconcurrency
    public func uploadTask(
        with request: URLRequest, fromFile fileURL: URL,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        refuseHandlers()
        return core.makeUpload(request, file: fileURL, for: .data(completionHandler))
    }

    /// A task that sends data and gathers the answer in memory.
    @preconcurrency
    public func uploadTask(
        with request: URLRequest, from bodyData: Data?,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        refuseHandlers()
        return core.makeUpload(request, body: bodyData ?? Data(), for: .data(completionHandler))
    }

    /// Declared so that code compiles: uploads on Linux begin at 0. The task fails when it is resumed.
    @preconcurrency
    public func uploadTask(
        withResumeData resumeData: Data,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        refuseHandlers()
        return core.makeUpload(resumeData: resumeData, for: .data(completionHandler))
    }

    /// A task that sends data; its answer comes to the delegate.
    public func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
        refuseBodies()
        return core.makeUpload(request, body: bodyData)
    }

    /// A task that sends what the request's `httpBodyStream`, or the stream that the delegate gives when it is
    /// asked (`needNewBodyStream`), yields.
    ///
    /// On Linux the stream is read to its end before the first byte is sent, into a file of the session's: the
    /// body has a length, and a redirect can repeat it.
    public func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
        refuseBodies()
        return core.makeUpload(streamed: request)
    }
}
