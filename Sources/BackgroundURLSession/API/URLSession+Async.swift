// Transfers as async calls. Cancelling the Swift task cancels the transfer, and the call throws
// `URLError.cancelled`. On a background session they are refused: a continuation does not outlive the process.
import TransferProtocol

extension URLSession {
    private func refuseInBackground() {
        if !core.isProcessBound {
            refuse(
                "a background session does not take async transfers: its tasks outlive the process; "
                    + "use a delegate")
        }
    }

    /// The whole answer. `delegate` hears of the task before the session's does.
    public func data(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        refuseInBackground()
        return try await whole { core.makeData(request, for: .data($0), delegate: delegate) }
    }

    /// As above.
    public func data(
        from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        try await data(for: URLRequest(url: url), delegate: delegate)
    }

    /// A file that is the caller's to move or remove; what is left of it goes with the process.
    public func download(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) {
        refuseInBackground()
        return try await file { core.makeDownload(request, for: .file($0), delegate: delegate) }
    }

    /// As above.
    public func download(
        from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) {
        try await download(for: URLRequest(url: url), delegate: delegate)
    }

    /// As above, from what an earlier task held.
    public func download(
        resumeFrom resumeData: Data, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) {
        refuseInBackground()
        return try await file {
            core.makeDownload(resumeData: resumeData, for: .file($0), delegate: delegate)
        }
    }

    /// Sends a file; gives the whole answer.
    public func upload(
        for request: URLRequest, fromFile fileURL: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        refuseInBackground()
        return try await whole { core.makeUpload(request, file: fileURL, for: .data($0), delegate: delegate) }
    }

    /// Sends data; gives the whole answer.
    public func upload(
        for request: URLRequest, from bodyData: Data, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        refuseInBackground()
        return try await whole {
            core.makeUpload(request, body: bodyData, for: .data($0), delegate: delegate)
        }
    }

    /// Declared so that code compiles: uploads on Linux begin at 0, and this one fails.
    public func upload(
        resumeFrom resumeData: Data, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        refuseInBackground()
        return try await whole {
            core.makeUpload(resumeData: resumeData, for: .data($0), delegate: delegate)
        }
    }

    /// The answer byte by byte, as soon as its head is there. A loop that does not go on holds the transfer: no
    /// more than a few hundred kilobytes are on their way to it.
    public func bytes(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (AsyncBytes, URLResponse) {
        refuseInBackground()
        let gate = BytesGate()
        let task = core.makeData(request, for: .bytes(gate), delegate: delegate)
        return try await withTaskCancellationHandler {
            let response = try await gate.response { task.resume() }
            return (AsyncBytes(task: task, gate: gate), response)
        } onCancel: {
            task.cancel()
        }
    }

    /// As above.
    public func bytes(
        from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (AsyncBytes, URLResponse) {
        try await bytes(for: URLRequest(url: url), delegate: delegate)
    }

    // MARK: From a handler's call to an async one's end

    private typealias Handler<Value> = @Sendable (Value?, URLResponse?, (any Error)?) -> Void

    private func whole(
        _ make: (@escaping Handler<Data>) -> URLSessionTask
    ) async throws -> (Data, URLResponse) {
        try await answer(make) { $0 }
    }

    private func file(
        _ make: (@escaping Handler<URL>) -> URLSessionTask
    ) async throws -> (URL, URLResponse) {
        let home = core.access.home
        return try await answer(make) { location in
            // The original goes when this returns.
            let kept = home.folder + "/" + UUID().uuidString + ".tmp"
            guard rename(location.path, kept) == 0 else {
                throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: location.path])
            }
            return URL(fileURLWithPath: kept)
        }
    }

    private func answer<Value: Sendable>(
        _ make: (@escaping Handler<Value>) -> URLSessionTask,
        _ keep: @escaping @Sendable (Value) throws -> Value
    ) async throws -> (Value, URLResponse) {
        let cancelling = CancellingTask()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let task = make { value, response, error in
                    continuation.resume(
                        with: Result {
                            if let value, let response { return (try keep(value), response) }
                            throw error ?? URLError(.badServerResponse)
                        })
                }
                cancelling.hold(task)
                task.resume()
            }
        } onCancel: {
            cancelling.cancel()
        }
    }
}

/// A task that is cancelled as soon as both are known, the task and that it is to be cancelled.
private final class CancellingTask: Sendable {
    private let state = Guarded<(task: URLSessionTask?, isCancelled: Bool)>((nil, false))

    func hold(_ task: URLSessionTask) {
        let isCancelled = state.with { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    func cancel() {
        let task = state.with { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }
}
