// One wake of this process by the service: from its environment, handed to the app's handler once, closed by a
// message to the service once. Any thread.
import Foundation
import TransferProtocol

final class LaunchVisit: Sendable {
    let identifier: String
    private let access: ServiceAccess
    private let token: String
    private let state = Guarded(State())

    private struct State {
        var hasHandler = false
        var isClosed = false
        var waiting: [@Sendable () -> Void] = []
    }

    /// Nil when this process was not started by the service. What a woken program starts in turn is no visit
    /// either: it is to take `URLSESSION_IDENTIFIER` out of its children's environment.
    init?(access: ServiceAccess) {
        guard let identifier = access.environment[VisitEnvironment.identifier], !identifier.isEmpty,
            let token = access.environment[VisitEnvironment.visit], !token.isEmpty
        else { return nil }
        self.access = access
        self.identifier = identifier
        self.token = token
    }

    var hasHandler: Bool { state.with { $0.hasHandler } }

    /// False when there is a handler already.
    func claimHandler() -> Bool {
        state.with { state in
            defer { state.hasHandler = true }
            return !state.hasHandler
        }
    }

    /// What the app calls. Only the first time means something.
    func complete() {
        if !Thread.isMainThread {
            Complaint.print(
                "The completion handler of a background launch was called on another thread than the main one; "
                    + "on Apple's platforms that is a fault.")
        }
        close()
    }

    func close() {
        let waiting = state.with { state -> [@Sendable () -> Void]? in
            guard !state.isClosed else { return nil }
            state.isClosed = true
            defer { state.waiting = [] }
            return state.waiting
        }
        guard let waiting else {
            return Complaint.print("The visit of a background launch was closed twice; once is enough.")
        }
        tellService()
        waiting.forEach { $0() }
    }

    /// Runs `work` when the visit is closed: now, if it is.
    func whenClosed(_ work: @escaping @Sendable () -> Void) {
        let isClosed = state.with { state in
            if !state.isClosed { state.waiting.append(work) }
            return state.isClosed
        }
        if isClosed { work() }
    }

    /// Written before this returns, so that the process may end on the next line.
    private func tellService() {
        do {
            let greeting = ServiceGreeting(access: access, client: access.clientName, patience: 5)
            guard let connection = try greeting.connect(starting: true)?.connection else { return }
            connection.limitWaiting(to: 5)
            if case .refused(let error) = connection.call(CloseVisit(visit: token)) {
                throw ServiceError.refused(message: error.message)
            }
        } catch {
            Complaint.print("The service could not be told that the background launch is done: \(error)")
        }
    }
}
