// What a session tells its delegate about itself. Every method has a default, so that a delegate writes
// only those it wants. The handler form's default asks the async form, whose default gives the answer
// that the system would give.

/// Messages about a session. They come on the session's `delegateQueue`, one at a time.
///
/// A method whose signature is not exactly one of these is silently never called.
@preconcurrency
public protocol URLSessionDelegate: NSObjectProtocol, Sendable {
    /// The session's last message. `error` is nil after `finishTasksAndInvalidate()` and
    /// `invalidateAndCancel()`. The same identifier may be used for a new session from here on.
    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?)

    /// A session-level challenge: on Linux NTLM. **Server trust and client certificates never come on Linux**;
    /// see `pinnedPublicKeys`, `additionalCertificates` and `clientIdentity`. It does not stand in for a task's
    /// method that is not implemented.
    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

    /// Everything that waited for this process has been delivered.
    ///
    /// On Linux it comes to a process that was woken, and also after an attachment that had something to
    /// deliver.
    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession)
}

extension URLSessionDelegate {
    public func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        DefaultMark.set(by: self)
    }

    public func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        Task {
            let answer = await self.urlSession(session, didReceive: challenge)
            completionHandler(answer.0, answer.1)
        }
    }

    public func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        DefaultMark.set(by: self)
        return (.performDefaultHandling, nil)
    }

    public func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        DefaultMark.set(by: self)
    }
}
