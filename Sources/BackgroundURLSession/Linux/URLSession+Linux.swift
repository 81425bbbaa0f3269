// What only Linux has on a session: whether there is a service, and whether it has everything on disk.
import Foundation
import TransferProtocol

extension URLSession {
    /// Linux only. A task that goes on from what an earlier task held, with these header fields in the place of
    /// the original request's of the same names; the others stay. For a token that has expired since: without
    /// this the server's 401 would be the answer, and its page the file.
    ///
    /// Like `downloadTask(withResumeData:)`, it can be used once.
    public func downloadTask(
        withResumeData resumeData: Data, renewing headerFields: [String: String]
    ) -> URLSessionDownloadTask {
        let fields = headerFields.sorted { $0.key < $1.key }.map { HeaderField($0.key, $0.value) }
        return core.makeDownload(resumeData: resumeData, renewing: fields)
    }

    /// Linux only. Blocks until the session has its service, or says why it has not: `sessionInUse` with the
    /// owner's pid, or whatever kept the service from being started.
    /// - Returns: how many tasks have events that waited for an owner at that moment; when it is not 0,
    ///   `urlSessionDidFinishEvents(forBackgroundURLSession:)` will come.
    @discardableResult
    public func waitUntilAttached() throws(ServiceError) -> Int {
        switch core.link.outcome() {
        case .attached: return core.state.with { $0.waitingAtAttach }
        case .failed(let error): throw error
        case .closed: throw .closed
        }
    }

    /// Linux only. Blocks until everything asked of this session so far is on the service's disk; throws what
    /// the service refused since the last time. May be called anywhere.
    public func commit() throws(ServiceError) {
        let done = DispatchSemaphore(value: 0)
        let outcome = Guarded<Result<Void, ServiceError>>(.success(()))
        core.flush { result in
            outcome.with { $0 = result }
            done.signal()
        }
        done.wait()
        try outcome.with({ $0 }).get()
    }
}
