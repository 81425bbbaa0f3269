// Who waits to hear what their cancelled task has left. Lives with the scheduler.
import Foundation
import TransferStore

struct CancelReplies {
    /// Called once, with resume data or nil.
    typealias Reply = (Result<Data?, StoreError>) -> Void

    private var waiting: [Int64: [(number: Int, reply: Reply)]] = [:]
    private var last = 0

    /// Its number.
    mutating func add(_ reply: @escaping Reply, task key: Int64) -> Int {
        last += 1
        waiting[key, default: []].append((last, reply))
        return last
    }

    /// Nil when it has had its answer.
    mutating func take(_ number: Int, task key: Int64) -> Reply? {
        guard let index = waiting[key]?.firstIndex(where: { $0.number == number }) else { return nil }
        return waiting[key]?.remove(at: index).reply
    }

    /// In the order in which they came.
    mutating func takeAll(task key: Int64) -> [Reply] {
        (waiting.removeValue(forKey: key) ?? []).map(\.reply)
    }
}
