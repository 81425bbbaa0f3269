// The records of one session's wishes: opened, closed with the task's last word, and removed when nothing can
// come of them any more. Any thread; a record that cannot be written is reported and stops nothing.

import Foundation

public struct WishBook: Sendable {
    public let session: String
    public let store: WishStore
    private let complain: @Sendable (WishStoreError) -> Void

    /// - Parameter complain: hears what could not be read or written, on the calling thread.
    public init(
        session: String, store: WishStore, complain: @escaping @Sendable (WishStoreError) -> Void = { _ in }
    ) {
        self.session = session
        self.store = store
        self.complain = complain
    }

    public func wish(named name: String?) throws(WishStoreError) -> Wish? {
        guard let name else { return nil }
        return try store.wish(session: session, name: name)
    }

    /// A task of the wish has been made.
    public func open(_ name: String, task: Int) {
        attempt { () throws(WishStoreError) in
            try store.update(session: session, name: name) {
                $0.tasks = ($0.tasks ?? []) + [task]
                $0.isClosed = nil
                $0.rejection = nil
            }
        }
    }

    /// A task of the wish has had its last word.
    /// - Parameter resumeData: of one that failed; unless another task of the wish is under way, its next start
    ///   goes on from there.
    public func close(_ name: String, task: Int, resumeData: Data? = nil) {
        attempt { () throws(WishStoreError) in
            try store.update(session: session, name: name) {
                $0.tasks = ($0.tasks ?? []).filter { $0 != task }
                if $0.tasks == [], let resumeData { $0.resumeData = resumeData }
                // A paused wish has no outcome yet.
                $0.isClosed = $0.tasks == [] && $0.resumeData == nil
            }
        }
    }

    /// Those bytes are with a task that goes on from them, or gone.
    public func forgetResumeData(_ name: String) {
        attempt { () throws(WishStoreError) in
            try store.update(session: session, name: name) { wish in
                guard wish.resumeData != nil else { return }
                wish.resumeData = nil
                wish.isClosed = wish.tasks?.isEmpty ?? true
            }
        }
    }

    /// Removes the records that have their outcome and that the service can send no event for any more. Not
    /// earlier: an acknowledgement may have been lost with its service, and the event then comes to another
    /// process.
    /// - Parameters:
    ///   - names: of the tasks that the service still has.
    ///   - abandoned: also those without an outcome, since no task will bring them one: only while nobody else
    ///     makes any.
    public func sweep(stillThere names: Set<String>, abandoned: Bool = false) {
        attempt { () throws(WishStoreError) in
            for wish in try store.all() where wish.session == session && !names.contains(wish.name) {
                let hasOutcome = wish.isClosed == true || (abandoned && wish.resumeData == nil)
                guard hasOutcome, !(wish.remembersPlace == true && wish.isPlaced) else { continue }
                try store.remove(session: session, name: wish.name)
            }
        }
    }

    /// Removes those of these records that have their outcome; whoever asks knows that it is acknowledged.
    func sweep(closed names: Set<String>) {
        attempt { () throws(WishStoreError) in
            for name in names {
                try store.remove(session: session, name: name) {
                    $0.isClosed == true && !($0.remembersPlace == true && $0.isPlaced)
                }
            }
        }
    }

    func attempt(_ work: () throws(WishStoreError) -> Void) {
        do throws(WishStoreError) {
            try work()
        } catch {
            complain(error)
        }
    }
}
