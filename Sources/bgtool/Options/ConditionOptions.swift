// When and on which terms a transfer may run: what `start` and `upload` share. What the service makes of it is
// in the articles on differences; here it is only read.
import Foundation

struct ConditionOptions: Sendable, Equatable {
    /// Not before; nil: at once.
    let begin: Date?
    let isDiscretionary: Bool
    let allowsExpensive: Bool
    let allowsConstrained: Bool
    /// 0 to 1; nil: the usual.
    let priority: Float?
    /// The caller's guess of the body's length; nil: none.
    let expectedBytes: Int?
    /// Seconds; nil: the usual week.
    let resourceTimeout: Double?

    private static let beginOption = OptionSpec.value(
        "begin-after", "when",
        help: "Begin no earlier: seconds from now, or a date such as 2027-01-31T06:00:00Z.")
    private static let discretionary = OptionSpec.flag(
        "discretionary", help: "Wait for external power and a network that is not metered.")
    private static let noExpensive = OptionSpec.flag(
        "no-expensive", help: "Use no metered network.")
    private static let noConstrained = OptionSpec.flag(
        "no-constrained", help: "Use no network on which data is to be saved.")
    private static let priorityOption = OptionSpec.value(
        "priority", "number", help: "From 0 to 1: who goes first among those that wait. (default: 0.5)")
    private static let expectOption = OptionSpec.value(
        "expect-bytes", "count", help: "A guess of the size, for as long as nobody knows it.")
    private static let timeoutOption = OptionSpec.value(
        "resource-timeout", "seconds", help: "Give up after so long. (default: 604800, a week)")

    static let specs = [
        beginOption, discretionary, noExpensive, noConstrained, priorityOption, expectOption, timeoutOption,
    ]

    init(_ parsed: ParsedArguments) throws(UsageError) {
        begin = try parsed.value(of: Self.beginOption, as: MomentArgument.self)?.date
        isDiscretionary = parsed.has(Self.discretionary)
        allowsExpensive = !parsed.has(Self.noExpensive)
        allowsConstrained = !parsed.has(Self.noConstrained)
        priority = try parsed.value(of: Self.priorityOption, as: PriorityArgument.self)?.priority
        expectedBytes = try parsed.value(of: Self.expectOption, as: CountArgument.self)?.count
        resourceTimeout = try parsed.value(of: Self.timeoutOption, as: SecondsArgument.self)?.seconds
    }
}
