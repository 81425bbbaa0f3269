import Testing
import TransferProtocol

@testable import TransferService

@Suite struct RetryPolicyTests {
    @Test func theDelayDoublesFromOneSecondToSixty() {
        let delays = (1...9).map { RetryPolicy.delay(failures: $0, retryAfter: nil, chance: 0.5) }
        #expect(delays == [1, 2, 4, 8, 16, 32, 60, 60, 60])
    }

    @Test func itIsSpreadByAFifthEitherWay() {
        #expect(RetryPolicy.delay(failures: 1, retryAfter: nil, chance: 0) == 0.8)
        #expect(abs(RetryPolicy.delay(failures: 7, retryAfter: nil, chance: 1) - 72) < 1e-9)
    }

    @Test func theServersWordIsALowerBound() {
        #expect(RetryPolicy.delay(failures: 1, retryAfter: 30, chance: 0.5) == 30)
        #expect(RetryPolicy.delay(failures: 7, retryAfter: 5, chance: 0.5) == 60)
    }

    @Test func retryAfterIsSecondsOrADateAgainstTheAnswersOwn() {
        #expect(RetryPolicy.retryAfter([HeaderField("retry-after", "120")]) == 120)
        let fields = [
            HeaderField("Retry-After", "Sun, 06 Nov 1994 08:51:37 GMT"),
            HeaderField("Date", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ]
        #expect(RetryPolicy.retryAfter(fields) == 120)
        #expect(RetryPolicy.retryAfter([fields[0]]) == nil)
        #expect(RetryPolicy.retryAfter([HeaderField("Retry-After", "-5")]) == nil)
        #expect(RetryPolicy.retryAfter([]) == nil)
    }

    @Test func aServerThatAsksForAgesIsTakenToMeanAYear() {
        let year = 365.0 * 86_400
        #expect(RetryPolicy.retryAfter([HeaderField("Retry-After", "9223372036854775807")]) == year)
        let fields = [
            HeaderField("Retry-After", "Fri, 31 Dec 9999 23:59:59 GMT"),
            HeaderField("Date", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ]
        #expect(RetryPolicy.retryAfter(fields) == year)
        #expect(RetryPolicy.retryAfter([HeaderField("Retry-After", "+5")]) == nil)
    }
}
