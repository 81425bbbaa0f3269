// What asking again makes of the transfers that exist: two operations, four orders, one class. Pure.

struct Replay {
    enum Class: String, CaseIterable {
        case robust
        case repeatSensitive = "repeat-sensitive"
        case orderSensitive = "order-sensitive"
        case doublySensitive = "doubly-sensitive"
    }

    /// The operations a and b after one another, from the same start.
    enum Order: String, CaseIterable {
        case once, twice, ab, ba
    }

    let label: String
    /// The sorted names of the transfers that exist afterwards.
    let seen: [Order: [String]]

    var classification: Class {
        let repeats = seen[.once] != seen[.twice]
        let orders = seen[.ab] != seen[.ba]
        return switch (repeats, orders) {
        case (false, false): .robust
        case (true, false): .repeatSensitive
        case (false, true): .orderSensitive
        case (true, true): .doublySensitive
        }
    }

    var line: String {
        let words = Order.allCases.map { order in
            "\(order.rawValue)=[\(seen[order, default: []].joined(separator: ", "))]"
        }
        return "\(label) | \(words.joined(separator: " ")) -> \(classification.rawValue)"
    }
}
