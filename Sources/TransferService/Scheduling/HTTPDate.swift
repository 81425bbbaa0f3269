// Reading HTTP dates (RFC 9110 §5.6.7), as far as validators and Retry-After need them. Pure.
import Foundation

enum HTTPDate {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// Seconds since 1970 of an IMF-fixdate, an RFC 850 date or an asctime date; nil for anything else.
    static func seconds(_ value: String) -> Int64? {
        var words = value.lowercased().split(whereSeparator: { " ,-".contains($0) }).map(String.init)
        guard words.count >= 5 else { return nil }
        words.removeFirst()  // the day's name
        if months.contains(String(words[0].prefix(3))) {
            // asctime: month day time year
            guard words.count == 4 else { return nil }
            return seconds(day: words[1], month: words[0], year: words[3], time: words[2])
        }
        guard words.count == 5, words[4] == "gmt" else { return nil }
        return seconds(day: words[0], month: words[1], year: words[2], time: words[3])
    }

    private static func seconds(day: String, month: String, year: String, time: String) -> Int64? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false)
            .map { number($0, digits: 2) ?? -1 }
        guard let day = number(day, digits: 2) ?? number(day, digits: 1), (1...31).contains(day),
            let month = months.firstIndex(of: month),
            var year = number(year, digits: 4) ?? number(year, digits: 2),
            clock.count == 3, (0...23).contains(clock[0]), (0...59).contains(clock[1]),
            (0...60).contains(clock[2])
        else { return nil }
        // A two-digit year lies within fifty years of now (RFC 9110 §5.6.7); this century is near enough.
        if year < 100 { year += year < 70 ? 2000 : 1900 }
        let days = daysSince1970(year: year, month: month + 1, day: day)
        return Int64(days) * 86400 + Int64(clock[0] * 3600 + clock[1] * 60 + clock[2])
    }

    /// The grammar says how many digits each number has; with more, days do not fit an Int.
    private static func number(_ text: some StringProtocol, digits: Int) -> Int? {
        guard text.utf8.count == digits else { return nil }
        return Digits.number(text).map { Int($0) }
    }

    /// The civil calendar's day number, counted from March so that leap days come last.
    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719468
    }
}
