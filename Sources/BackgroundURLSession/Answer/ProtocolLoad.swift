// A task that a `URLProtocol` subclass of the app's answers, inside this process: the class is driven as Apple's
// loading system does, and what it says becomes the task's answer. The class decides how fast it sends, so
// that what the delegate has not taken yet is held here.
import Foundation
import FoundationNetworking
import TransferProtocol

final class ProtocolLoad: NSObject, BodySource, URLProtocolClient, @unchecked Sendable {
    // Unchecked: `instance` belongs to `queue`, the rest is in `state`.
    private let candidates: [URLProtocol.Type]
    private let request: URLRequest
    private weak var core: SessionCore?
    private let identifier: Int
    private var instance: URLProtocol?
    private let state = Guarded(State())

    private struct State {
        var pieces: [Data] = []
        var hasEnded = false
        var taking: (@Sendable (Data?) -> Void)?
    }

    /// Protocols are called here, one at a time.
    private static let queue = DispatchQueue(label: "URLSession protocols")

    /// Of a request that a class of the session's configuration wants.
    init(_ request: URLRequest, core: SessionCore, task: URLSessionTask) {
        candidates = core.protocolClasses
        self.request = request
        self.core = core
        identifier = task.taskIdentifier
    }

    /// The task until it has ended; a data task may have become a download meanwhile.
    private var task: URLSessionTask? { core?.state.with { $0.tasks[identifier] } }

    static func choose(_ candidates: [URLProtocol.Type], _ request: URLRequest) -> URLProtocol.Type? {
        candidates.first { $0.canInit(with: request) }
    }

    func start() { Self.queue.async { self.begin(self.request) } }

    /// On `queue`.
    private func begin(_ request: URLRequest) {
        guard let type = Self.choose(candidates, request) else {
            return end(
                ErrorRecord(
                    ErrorCode.unsupportedURL,
                    "No protocol class of the session's configuration takes the address it was redirected to.",
                    url: request.url?.absoluteString
                ).asError)
        }
        let instance = type.init(
            request: type.canonicalRequest(for: request), cachedResponse: nil, client: self)
        self.instance = instance
        instance.startLoading()
    }

    // MARK: BodySource

    func next(_ take: @escaping @Sendable (Data?) -> Void) {
        state.with { $0.taking = take }
        give()
    }

    func close() {
        Self.queue.async {
            self.state.with { $0.taking = nil }
            self.instance?.stopLoading()
            self.instance = nil
        }
    }

    private func give() {
        let (take, piece) = state.with { state -> ((@Sendable (Data?) -> Void)?, Data?) in
            guard let take = state.taking, !state.pieces.isEmpty || state.hasEnded else { return (nil, nil) }
            state.taking = nil
            return (take, state.pieces.isEmpty ? nil : state.pieces.removeFirst())
        }
        take?(piece)
    }

    // MARK: URLProtocolClient, on whatever thread the class likes

    func urlProtocol(
        _ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse
    ) {
        task?.fields.with { $0.currentRequest = request }
        Self.queue.async {
            self.instance?.stopLoading()
            self.begin(request)
        }
    }

    func urlProtocol(_ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse) {}

    func urlProtocol(
        _ protocol: URLProtocol, didReceive response: URLResponse,
        cacheStoragePolicy policy: URLCache.StoragePolicy
    ) {
        guard let task else { return }
        let stream = task.fields.with { fields in
            fields.response = response
            fields.expected = response.expectedContentLength >= 0 ? response.expectedContentLength : nil
            return fields.answer
        }
        stream?.answered()
    }

    func urlProtocol(_ protocol: URLProtocol, didLoad data: Data) {
        guard !data.isEmpty else { return }
        state.with { $0.pieces.append(data) }
        if let task, let core {
            let note = task.fields.with { fields in
                ProgressNote(
                    identifier: task.taskIdentifier, received: fields.received + Int64(data.count),
                    expected: fields.expected, sent: fields.sent, expectedToSend: fields.expectedToSend)
            }
            core.linkDidReceive(ReportProgress(tasks: [note]))
        }
        give()
    }

    func urlProtocolDidFinishLoading(_ protocol: URLProtocol) { end(nil) }

    func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error) { end(error) }

    /// What the class asks for is between it and its server: the default handling of every challenge.
    func urlProtocol(_ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge) {
        challenge.sender?.performDefaultHandling(for: challenge)
    }

    func urlProtocol(_ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge) {}

    private func end(_ error: (any Error)?) {
        state.with { $0.hasEnded = true }
        give()
        guard let core, let task else { return }
        let stream = task.fields.with { $0.answer }
        stream?.ended(nil) { [core] instead in
            let latest = core.successor(of: task)
            if let instead { return core.complete(latest, instead) }
            // The last bytes are news too.
            if error == nil { core.tellAllNews(of: latest) }
            core.complete(latest, outcome: error)
        }
    }
}
