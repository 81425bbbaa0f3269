// Whether a client may begin another task: background work may be switched off for it, and what it may hold
// is bounded. Asked once for each task; counted anew only when the bound could have been reached.
import Foundation
import TransferStore

@TransferActor
final class ClientAllowance {
    struct Limits: Sendable, Equatable {
        var tasks = ServiceSettings.clientTasks.standard
        var bytes = ServiceSettings.clientBytes.standard

        init() {}

        init(environment: [String: String]) {
            tasks = ServiceSettings.clientTasks.value(environment)
            bytes = ServiceSettings.clientBytes.value(environment)
        }
    }

    /// `NSURLErrorBackgroundTaskCancelledReasonKey`.
    enum Reason {
        static let quit = 0
        static let switchedOff = 1
        static let tooMuch = 2
    }

    private struct Count {
        /// Tasks that may still come before the bound can be reached.
        var room: Int
        var when: Date
    }

    /// Bytes come without a task being begun: so long a count is believed, in seconds.
    private static let trust = 1.0

    private let store: TransferStore
    private let turn: Turn
    private let limits: Limits
    private var counts: [String: Count] = [:]

    init(store: TransferStore, turn: Turn, limits: Limits) {
        self.store = store
        self.turn = turn
        self.limits = limits
    }

    /// Why a task of that client must not begin; nil when it may. The task itself is in the store already.
    func objection(to client: String, now: Date = Date()) throws(StoreError) -> Int? {
        if try isSwitchedOff(client) { return Reason.switchedOff }
        if var count = counts[client], count.room > 0, abs(now.timeIntervalSince(count.when)) < Self.trust {
            count.room -= 1
            counts[client] = count
            return nil
        }
        let usage = try store.usage(client: client)
        counts[client] = Count(room: limits.tasks - usage.tasks, when: now)
        return usage.tasks > limits.tasks || usage.bytes >= limits.bytes ? Reason.tooMuch : nil
    }

    func isSwitchedOff(_ client: String) throws(StoreError) -> Bool {
        try store.client(client)?.isSwitchedOff ?? false
    }

    func setSwitchedOff(_ isOff: Bool, _ client: String) throws(StoreError) {
        var record = try store.client(client) ?? ClientRecord()
        record.isSwitchedOff = isOff
        try turn.write { store throws(StoreError) in try store.save(record, client: client) }
    }
}
