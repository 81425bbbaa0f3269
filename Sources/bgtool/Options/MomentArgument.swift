// A point in time: seconds from now, or a date with its zone (RFC 3339).
import Foundation

struct MomentArgument: ArgumentValue, Equatable {
    let date: Date

    init(argument: String) throws(InvalidValue) {
        if Double(argument) != nil {
            date = Date(timeIntervalSinceNow: try SecondsArgument(argument: argument).seconds)
            return
        }
        guard let date = try? Date(argument, strategy: .iso8601) else {
            throw InvalidValue(
                "write seconds from now, such as 3600, or a date with its zone, such as 2027-01-31T06:00:00Z."
            )
        }
        self.date = date
    }
}
