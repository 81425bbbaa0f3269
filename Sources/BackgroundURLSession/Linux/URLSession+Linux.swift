// What only Linux has on a session: whether there is a service, and whether it has everything on disk.
import Foundation

extension URLSession {
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
