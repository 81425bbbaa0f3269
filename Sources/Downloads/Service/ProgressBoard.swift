// How far each of many downloads is, and all of them together. What is unknown stays unknown: a total of which
// one part is unknown is no total. A value.

public struct ProgressBoard: Sendable, Equatable {
    public struct Amount: Sendable, Equatable {
        /// Bytes.
        public var done: Int64
        /// Bytes; nil while unknown.
        public var total: Int64?

        public init(done: Int64, total: Int64?) {
            self.done = max(0, done)
            self.total = total.flatMap { $0 >= 0 ? $0 : nil }
        }

        /// 0 to 1; nil while the total is unknown. An empty file is whole.
        public var fraction: Double? {
            total.map { $0 == 0 ? 1 : min(1, Double(done) / Double($0)) }
        }
    }

    public private(set) var each: [String: Amount] = [:]

    public init() {}

    /// The newest word on one of them; `total` negative while unknown, as `URLSession` has it.
    public mutating func note(_ name: String, done: Int64, total: Int64) {
        each[name] = Amount(done: done, total: total)
    }

    /// It will not move any more and counts no longer.
    public mutating func remove(_ name: String) { each[name] = nil }

    /// The sum of all.
    public var whole: Amount {
        var sum = Amount(done: 0, total: 0)
        for amount in each.values {
            sum.done = sum.done.addingClamped(amount.done)
            sum.total = sum.total.flatMap { total in amount.total.map { total.addingClamped($0) } }
        }
        return sum
    }
}

extension Int64 {
    /// Two servers may each promise more than there is.
    fileprivate func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }
}
