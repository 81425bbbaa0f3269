// How a session ends: new tasks are refused at once, the others end in their own time, and then comes the
// session's last message.
import Foundation
import TransferProtocol

extension SessionCore {
    func invalidate(cancelling: Bool) {
        let known = state.with { state -> [URLSessionTask]? in
            guard case .none = state.invalidation else { return cancelling ? Array(state.tasks.values) : nil }
            state.invalidation = .listing
            return Array(state.tasks.values)
        }
        guard let known else { return }
        // Those known here at once, so that the process may end on the next line; the others when listed.
        if cancelling { known.forEach(cancel) }
        guard purpose == .own || cancelling else { return waitForDisk() }
        listSnapshots { [self] snapshots, _ in
            for snapshot in snapshots {
                guard snapshot.wasResumed || cancelling, let task = object(for: snapshot) else { continue }
                if cancelling, !snapshot.state.isEnded { aside { self.cancel(task) } }
            }
            aside { self.purpose == .own ? self.listed() : self.waitForDisk() }
        }
    }

    /// A session that leaves its events to an owner does not wait for its tasks.
    private func waitForDisk() {
        flush { [self] _ in
            state.with { $0.tasks = [:] }
            listed()
        }
    }

    private func listed() {
        state.with { if case .listing = $0.invalidation { $0.invalidation = .finishing } }
        settleInvalidation()
    }

    /// Announces the end when it has come.
    func settleInvalidation() {
        let isOver = state.with { state -> Bool in
            guard case .finishing = state.invalidation, state.tasks.isEmpty else { return false }
            state.invalidation = .announced
            return true
        }
        if isOver { deliveries.append { self.announceEnd() } }
    }

    /// On the delegate queue. The identifier is free before the delegate hears of it.
    private func announceEnd() {
        link.close()
        onInvalid()
        let (session, delegate, isEndDue) = state.with { state in
            defer {
                state.session = nil
                state.delegate = nil
            }
            return (state.session, state.delegate, state.endOfEvents.lost())
        }
        guard let session else { return }
        if isEndDue { delegate?.urlSessionDidFinishEvents(forBackgroundURLSession: session) }
        delegate?.urlSession(session, didBecomeInvalidWithError: nil)
        session.forgetDelegate()
    }
}
