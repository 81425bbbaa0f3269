// Questions that are with the delegate. The service asks again after a reconnection, and a new service asks
// under a new number: the delegate is asked once, and its answer goes to whoever asked last. A value.

struct QuestionLedger {
    private var newest: [Int: Int64] = [:]

    /// True when the delegate is to be asked; false while it is being asked.
    mutating func receive(task: Int, number: Int64) -> Bool {
        defer { newest[task] = number }
        return newest[task] == nil
    }

    /// The number to answer.
    mutating func answered(task: Int) -> Int64? { newest.removeValue(forKey: task) }
}
