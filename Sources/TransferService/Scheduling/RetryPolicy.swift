// When to try again. Pure; seconds are of the monotonic clock.
import Foundation
import TransferProtocol

enum RetryPolicy {
    static let firstDelay = 1.0
    static let longestDelay = 60.0
    static let spread = 0.2
    /// A server that asks for more is taken to mean this: a year, in seconds. Far beyond any resource
    /// timeout, and a number that every clock can be set to.
    static let longestRetryAfter: Int64 = 365 * 86_400

    /// Seconds before the next attempt: 1 s, doubling to 60 s, ±20 %, and never less than the server asked
    /// for.
    /// - Parameters:
    ///   - failures: attempts that ended without progress, this one included (≥ 1).
    ///   - chance: a random number in 0..<1 that places the delay within its spread.
    static func delay(failures: Int, retryAfter: Double?, chance: Double) -> Double {
        let doubled = firstDelay * pow(2, Double(min(max(failures, 1) - 1, 30)))
        let base = min(doubled, longestDelay)
        let spreadOut = base * (1 - spread + 2 * spread * chance)
        return max(spreadOut, retryAfter ?? 0)
    }

    /// Retry-After in seconds (RFC 9110 §10.2.3): a number, or a date taken against the answer's own Date so
    /// that this machine's clock does not matter.
    static func retryAfter(_ headers: [HeaderField]) -> Double? {
        guard let value = headers.first("Retry-After") else { return nil }
        if let seconds = Digits.number(value) { return Double(min(seconds, longestRetryAfter)) }
        guard let then = HTTPDate.seconds(value), let date = headers.first("Date"),
            let now = HTTPDate.seconds(date)
        else { return nil }
        return Double(min(max(0, then - now), longestRetryAfter))
    }
}
