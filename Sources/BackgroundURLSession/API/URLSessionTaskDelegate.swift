// What a session tells its delegate about any of its tasks.

/// Messages about a task, on the session's `delegateQueue`, one at a time. Nothing about a task comes
/// after its `didCompleteWithError`.
@preconcurrency
public protocol URLSessionTaskDelegate: URLSessionDelegate {
    /// Called by the task-making method itself, on its thread, before it returns.
    func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask)

    /// A task's `earliestBeginDate` has come. It waits for the answer as long as this process lives; while no
    /// process owns the session, and after this one has ended, it begins with its original request.
    /// The handler is called once, from any thread. The new request counts with `.useNewRequest` only; its body
    /// is that of the original.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void)
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest
    ) async -> (URLSession.DelayedRequestDisposition, URLRequest?)

    /// The task waits between two attempts; once a task.
    func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask)

    /// Not asked by background sessions, which always follow redirects.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void)
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest
    ) async -> URLRequest?

    /// A server or a proxy asks for a name and a password: Basic and Digest. The task waits for the answer, and
    /// holds no connection meanwhile. On Linux a background session's task waits also while no process is
    /// attached; passwords live in the service's memory only, and are asked for again after it began anew.
    /// Not implemented: `urlCredentialStorage` is asked; without a credential there, the 401 is the answer.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

    /// Not asked by background sessions, which send files only.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void)
    func urlSession(_ session: URLSession, needNewBodyStreamForTask task: URLSessionTask) async
        -> InputStream?

    /// Bytes of the request's body have left this machine: `bytesSent` of them since the last such message; the
    /// bytes of an attempt that failed count again. A slow delegate hears of the newest count only.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64)

    /// Not sent on Linux.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceiveInformationalResponse response: HTTPURLResponse)

    /// What was measured, just before `didCompleteWithError`; also of requests that earlier processes' lives
    /// saw.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics)

    /// The task's last message. An HTTP error status is not an error: see `task.response`.
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
}

extension URLSessionTaskDelegate {
    public func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
        DefaultMark.set(by: self)
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
    ) {
        Task {
            let answer = await self.urlSession(session, task: task, willBeginDelayedRequest: request)
            completionHandler(answer.0, answer.1)
        }
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest
    ) async -> (URLSession.DelayedRequestDisposition, URLRequest?) {
        DefaultMark.set(by: self)
        return (.continueLoading, nil)
    }

    public func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
        DefaultMark.set(by: self)
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        Task {
            completionHandler(
                await self.urlSession(
                    session, task: task, willPerformHTTPRedirection: response, newRequest: request))
        }
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest
    ) async -> URLRequest? {
        DefaultMark.set(by: self)
        return request
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        Task {
            let answer = await self.urlSession(session, task: task, didReceive: challenge)
            completionHandler(answer.0, answer.1)
        }
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        DefaultMark.set(by: self)
        return (.performDefaultHandling, nil)
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        Task { completionHandler(await self.urlSession(session, needNewBodyStreamForTask: task)) }
    }

    public func urlSession(
        _ session: URLSession, needNewBodyStreamForTask task: URLSessionTask
    ) async -> InputStream? {
        DefaultMark.set(by: self)
        return nil
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) { DefaultMark.set(by: self) }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceiveInformationalResponse response: HTTPURLResponse
    ) { DefaultMark.set(by: self) }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) { DefaultMark.set(by: self) }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) { DefaultMark.set(by: self) }
}
