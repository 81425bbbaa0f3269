// A number by which the environment may set the service. One that makes no sense is passed over, and said:
// who set it believes that it holds. Pure.
import Foundation

struct EnvironmentNumber<Value: LosslessStringConvertible & Comparable & Sendable>: Sendable {
    let name: String
    let range: ClosedRange<Value>
    /// What holds when nothing is said. An empty word says nothing.
    let standard: Value

    init(_ name: String, in range: ClosedRange<Value>, otherwise standard: Value) {
        self.name = name
        self.range = range
        self.standard = standard
    }

    func value(_ environment: [String: String]) -> Value { understood(environment) ?? standard }

    /// A sentence about what the environment says, when that is not a number of the range.
    func complaint(_ environment: [String: String]) -> String? {
        guard let said = environment[name], !said.isEmpty, understood(environment) == nil else { return nil }
        return "\(name)='\(said.prefix(40))' is not a number from \(Self.text(range.lowerBound)) to "
            + "\(Self.text(range.upperBound)); it is as if \(Self.text(standard)) were said"
    }

    private func understood(_ environment: [String: String]) -> Value? {
        // Not a number is in no range.
        environment[name].flatMap { Value($0) }.flatMap { range.contains($0) ? $0 : nil }
    }

    private static func text(_ value: Value) -> String {
        let text = String(describing: value)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
