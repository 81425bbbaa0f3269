// A number as HTTP's grammars write it: digits and nothing else. `Int64("+1")` and `Int64("-1")` succeed.

enum Digits {
    /// Nil for anything else, also for a number that Int64 does not hold.
    static func number(_ text: some StringProtocol) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text)
    }
}
