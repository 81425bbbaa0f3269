// Reading Content-Range (RFC 9110 §14.4). Pure.

/// The value of a Content-Range field with the unit `bytes`.
enum ContentRange: Equatable {
    /// `bytes first-last/complete`; `complete` is nil for `*`.
    case range(first: Int64, last: Int64, complete: Int64?)
    /// `bytes */complete`, which comes with 416.
    case unsatisfied(complete: Int64)

    /// Nil for anything the grammar does not allow, also for `last < first` and `complete <= last`.
    init?(_ value: String) {
        let words = value.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let halves = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let complete = Digits.number(halves[1])
        guard complete != nil || halves[1] == "*" else { return nil }
        if halves[0] == "*" {
            guard let complete else { return nil }
            self = .unsatisfied(complete: complete)
            return
        }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Digits.number(ends[0]), let last = Digits.number(ends[1]),
            last >= first, complete.map({ $0 > last }) ?? true
        else { return nil }
        self = .range(first: first, last: last, complete: complete)
    }
}
