// Tells a wall clock that was set from time that passed: a resource timeout is a length of time, and a machine
// that learns the date after it began must not end every transfer for it. Pure.
import Foundation

struct ClockSteps {
    /// Seconds. What a clock drifts, or is slewed, between two looks is less.
    static let tolerance = 10.0

    private var offset: Double

    init(date: Date, seconds: Double) { offset = date.timeIntervalSince1970 - seconds }

    /// By how many seconds the wall clock was set since the last look (back: negative); nil when it was not.
    mutating func notice(date: Date, seconds: Double) -> Double? {
        let now = date.timeIntervalSince1970 - seconds
        let step = now - offset
        offset = now
        return abs(step) > Self.tolerance ? step : nil
    }
}
