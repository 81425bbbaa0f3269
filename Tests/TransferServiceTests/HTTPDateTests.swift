import Foundation
import Testing

@testable import TransferService

@Suite struct HTTPDateTests {
    // The three forms of RFC 9110 §5.6.7 and the moment they all name there.
    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
    func theThreeFormsNameOneMoment(text: String) {
        #expect(HTTPDate.seconds(text) == 784_111_777)
    }

    @Test func itAgreesWithTheCalendarOverManyDays() {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(identifier: "UTC") ?? .current
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = calendar.timeZone
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        for day in stride(from: 0, to: 60_000, by: 97) {
            let seconds = Int64(day) * 86_400 + 3661
            let text = formatter.string(from: Date(timeIntervalSince1970: Double(seconds)))
            #expect(HTTPDate.seconds(text) == seconds, "\(text)")
        }
    }

    @Test(arguments: [
        "", "yesterday", "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 32 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 CET", "1994-11-06T08:49:37Z",
        // Numbers have as many digits as the grammar says: more of them once trapped.
        "Sun, 06 Nov 9223372036854775807 08:49:37 GMT", "Sun Nov  6 08:49:37 99999999999999999",
        "Sun, 06 Nov 19940 08:49:37 GMT", "Sun, 06 Nov +994 08:49:37 GMT", "Sun, 06 Nov 1994 08:x:49:37 GMT",
        "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 006 Nov 1994 08:49:37 GMT",
    ])
    func anythingElseIsNoDate(text: String) {
        #expect(HTTPDate.seconds(text) == nil)
    }
}
