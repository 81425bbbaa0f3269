// A length of time in seconds: zero or more, with or without a fraction.

struct SecondsArgument: ArgumentValue, Equatable {
    /// About thirty years; longer spans overflow the clocks they are added to.
    static let most: Double = 1_000_000_000

    let seconds: Double

    init(argument: String) throws(InvalidValue) {
        guard let number = Double(argument), number.isFinite else {
            throw InvalidValue("it is not a number of seconds; write e.g. 2 or 0.5.")
        }
        guard number >= 0 else {
            throw InvalidValue("seconds cannot be negative; write 0 or more.")
        }
        guard number <= Self.most else {
            throw InvalidValue("it is too long; write at most \(Int(Self.most)) seconds.")
        }
        seconds = number
    }
}
