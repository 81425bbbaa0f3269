// "Did you mean …?": the known word nearest to a misspelt one. A pure
// function of the two; it stays silent rather than guess wildly.

struct Suggestion {
    let word: String

    /// Nil where no candidate is near enough. Of equally near ones the first is taken.
    init?(for typed: String, among candidates: [String]) {
        let limit = min(3, typed.count / 2)
        let near = candidates.map { ($0, Self.distance(typed, $0)) }.filter { $0.1 <= limit }
        guard let best = near.min(by: { $0.1 < $1.1 }) else { return nil }
        word = best.0
    }

    /// Insertions, deletions, replacements and swaps of neighbours that lead
    /// from one word to the other (optimal string alignment).
    static func distance(_ first: String, _ second: String) -> Int {
        let a = Array(first)
        let b = Array(second)
        var beforeLast: [Int] = []
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                let replaced = last[j] + (a[i] == b[j] ? 0 : 1)
                var cost = min(replaced, last[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    cost = min(cost, beforeLast[j - 1] + 1)
                }
                row.append(cost)
            }
            beforeLast = last
            last = row
        }
        return last[b.count]
    }
}
