// Right values from RFC 9110 §8.8, 13.1.5, 14 and 15 unless a test says otherwise.
import Foundation
import Testing
import TransferProtocol
import TransferStore

@testable import TransferService

@Suite struct ResumePolicyTests {
    // MARK: Validators

    @Test func aStrongTagGoesIntoIfRangeVerbatim() {
        #expect(ResumePolicy.validator(of: Sample.answer(200, ["ETag": "\"a b\""])) == "\"a b\"")
    }

    @Test func aWeakTagIsNeverUsedAndForbidsTheDate() {
        let answer = Sample.answer(
            200, ["ETag": "W/\"v1\"", "Last-Modified": Sample.modified, "Date": Sample.date])
        #expect(ResumePolicy.validator(of: answer) == nil)
    }

    @Test func aDateIsStrongWhenTheAnswerIsAMinuteYounger() {
        func validator(_ date: String?) -> String? {
            var fields = ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"]
            fields["Date"] = date
            return ResumePolicy.validator(of: Sample.answer(200, fields))
        }
        #expect(validator("Sun, 06 Nov 1994 08:50:37 GMT") == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(validator("Sun, 06 Nov 1994 08:50:36 GMT") == nil)
        #expect(validator(nil) == nil)
    }

    @Test func withoutValidatorsNothingIsResumable() {
        #expect(ResumePolicy.validator(of: Sample.answer()) == nil)
    }

    // MARK: Asking

    private func plan(_ held: HeldBody?, _ length: Int64, method: String = "GET") -> AttemptPlan {
        var task = Sample.task(method: method)
        task.held = held
        return ResumePolicy.plan(for: task, bodyLength: length)
    }

    @Test func theRestIsAskedForFromWhatTheDiskHolds() {
        #expect(plan(Sample.held(), 400) == .rest(from: 400, ifRange: "\"v1\""))
    }

    @Test func nothingHeldMeansNoRange() {
        #expect(plan(Sample.held(), 0) == .whole)
        #expect(plan(nil, 400) == .whole)
    }

    @Test func everythingHeldNeedsNoRequest() { #expect(plan(Sample.held(), 1000) == .complete) }

    @Test func moreThanTheWholeIsWorthNothing() { #expect(plan(Sample.held(), 1001) == .whole) }

    @Test func onlyAGetIsContinued() { #expect(plan(Sample.held(), 400, method: "POST") == .whole) }

    @Test func aRequestThatHasItsOwnRangeIsNotContinued() {
        var task = Sample.task()
        task.held = Sample.held()
        task.request.headers = [HeaderField("range", "bytes=5-")]
        #expect(ResumePolicy.plan(for: task, bodyLength: 400) == .whole)
    }

    @Test(arguments: [
        ["Content-Encoding": "gzip", "ETag": "\"v1\"", "Content-Length": "1000"],
        ["Accept-Ranges": "none", "ETag": "\"v1\"", "Content-Length": "1000"],
        ["ETag": "W/\"v1\"", "Content-Length": "1000"],
        ["Content-Length": "1000"],
    ])
    func whatCannotBeContinuedSafelyIsAskedForWhole(fields: [String: String]) {
        #expect(plan(HeldBody(response: Sample.answer(200, fields), total: 1000), 400) == .whole)
    }

    @Test func aBodyDelimitedByTheConnectionsEndIsNotContinued() {
        #expect(plan(HeldBody(response: Sample.answer(200, ["ETag": "\"v1\""]), total: nil), 400) == .whole)
    }

    @Test func aChunkedBodyIsContinued() {
        let answer = Sample.answer(200, ["ETag": "\"v1\"", "Transfer-Encoding": "chunked"])
        #expect(plan(HeldBody(response: answer, total: nil), 400) == .rest(from: 400, ifRange: "\"v1\""))
    }

    @Test func resumeDataIsOfferedOnlyWhereTheServerSaidItHasRanges() {
        var task = Sample.task()
        task.held = Sample.held()
        #expect(ResumePolicy.mayOfferResumeData(task, bodyLength: 400))
        #expect(!ResumePolicy.mayOfferResumeData(task, bodyLength: 0))
        task.held = HeldBody(
            response: Sample.answer(200, ["ETag": "\"v1\"", "Content-Length": "1000"]), total: 1000)
        #expect(!ResumePolicy.mayOfferResumeData(task, bodyLength: 400))
    }

    // MARK: Taking

    /// RFC 9110 §8.6: a Content-Length there speaks of what GET would bring.
    @Test(arguments: [200, 304]) func anAnswerWithoutABodyIsWholeWhateverLengthItNames(_ status: Int) {
        let head = Sample.answer(status, ["Content-Length": "1000"])
        #expect(ResumePolicy.judge(head, plan: .whole, held: nil, hasBody: false) == .take(total: 0))
        #expect(ResumePolicy.judge(head, plan: .whole, held: nil) == .take(total: 1000))
    }

    private func judge(_ status: Int, _ fields: [String: String]) -> Verdict {
        ResumePolicy.judge(
            Sample.answer(status, fields), plan: .rest(from: 400, ifRange: "\"v1\""), held: Sample.held())
    }

    @Test func aFittingPartIsAppended() {
        #expect(
            judge(206, ["Content-Range": "bytes 400-999/1000", "Content-Length": "600", "ETag": "\"v1\""])
                == .append(end: 1000, total: 1000))
        #expect(judge(206, ["Content-Range": "bytes 400-999/*"]) == .append(end: 1000, total: 1000))
    }

    @Test func aShorterPartThanAskedForIsLegal() {
        #expect(
            judge(206, ["Content-Range": "bytes 400-499/1000", "Content-Length": "100"])
                == .append(end: 500, total: 1000))
    }

    /// Servers exist that serve a range whatever If-Range says.
    @Test func aPartOfAFileHeldByItsDateMustHaveThatDate() {
        func judge(_ fields: [String: String]) -> Verdict {
            let answer = Sample.answer(
                200, ["Last-Modified": Sample.modified, "Date": Sample.date, "Content-Length": "1000"])
            var fields = fields
            fields["Content-Range"] = "bytes 400-999/1000"
            return ResumePolicy.judge(
                Sample.answer(206, fields), plan: .rest(from: 400, ifRange: Sample.modified),
                held: HeldBody(response: answer, total: 1000))
        }
        #expect(judge([:]) == .append(end: 1000, total: 1000))
        #expect(judge(["Last-Modified": Sample.modified]) == .append(end: 1000, total: 1000))
        for other in [["Last-Modified": Sample.date], ["ETag": "\"v1\""]] {
            guard case .startAgain = judge(other) else {
                Issue.record("\(other) was combined")
                continue
            }
        }
    }

    @Test func aTagThatFitsDecidesOverADateThatDoesNot() {
        #expect(
            judge(
                206,
                [
                    "Content-Range": "bytes 400-999/1000", "ETag": "\"v1\"",
                    "Last-Modified": "Mon, 07 Nov 1994 08:49:37 GMT",
                ]) == .append(end: 1000, total: 1000))
    }

    @Test func aPartOfAFileOfUnknownLengthMustSayHowLongItIs() {
        let answer = Sample.answer(200, ["ETag": "\"v1\"", "Transfer-Encoding": "chunked"])
        func judge(_ range: String) -> Verdict {
            ResumePolicy.judge(
                Sample.answer(206, ["Content-Range": range]), plan: .rest(from: 400, ifRange: "\"v1\""),
                held: HeldBody(response: answer, total: nil))
        }
        #expect(judge("bytes 400-499/1000") == .append(end: 500, total: 1000))
        guard case .startAgain = judge("bytes 400-999/*") else {
            Issue.record("a part that may not be the last was taken for the end")
            return
        }
    }

    @Test func twoContentRangesAreNone() {
        var part = Sample.answer(206, ["Content-Range": "bytes 400-999/1000"])
        part.headers.append(HeaderField("content-range", "bytes 300-999/1000"))
        guard
            case .startAgain = ResumePolicy.judge(
                part, plan: .rest(from: 400, ifRange: "\"v1\""), held: Sample.held())
        else {
            Issue.record("one of two ranges was believed")
            return
        }
    }

    @Test(arguments: [
        [:],
        ["Content-Range": "bytes 399-999/1000"],
        ["Content-Range": "bytes 0-999/1000"],
        ["Content-Range": "bytes 400-999/1001"],
        ["Content-Range": "bytes 400-1000/*"],
        ["Content-Range": "bytes 400-9223372036854775807/*"],
        ["Content-Range": "items 400-999/1000"],
        ["Content-Range": "400-999/1000"],
        ["Content-Range": "bytes 400-999/1000", "ETag": "\"v2\""],
        ["Content-Range": "bytes 400-999/1000", "Content-Length": "599"],
        ["Content-Range": "bytes 400-999/1000", "Content-Length": "1000"],
        ["Content-Range": "bytes 400-999/1000", "Content-Encoding": "gzip"],
        ["Content-Type": "multipart/byteranges; boundary=x"],
        ["Content-Type": "multipart/byteranges; boundary=x", "Content-Range": "bytes 400-999/1000"],
    ])
    func aPartThatDoesNotFitIsNeverCombined(fields: [String: String]) {
        guard case .startAgain = judge(206, fields) else {
            Issue.record("\(fields) gave \(judge(206, fields))")
            return
        }
    }

    @Test func aWholeAnswerReplacesWhatIsHeld() {
        #expect(judge(200, ["Content-Length": "1000"]) == .take(total: 1000))
        #expect(judge(200, ["Content-Length": "400"]) == .take(total: 400))
    }

    private static let conditions = ["If-Match", "if-none-match", "If-Modified-Since", "If-Unmodified-Since"]

    /// RFC 9110 §13.1: whether the new version is wanted is for the app's own conditions to decide.
    @Test(arguments: conditions)
    func aChangedFileIsAskedForAgainWithTheAppsOwnConditions(name: String) {
        let whole = Sample.answer(200, ["Content-Length": "1000", "ETag": "\"v2\""])
        func judge(_ plan: AttemptPlan, _ head: ResponseRecord) -> Verdict {
            ResumePolicy.judge(
                head, plan: plan, held: Sample.held(), own: OwnConditions([HeaderField(name, "x")]))
        }
        guard case .startAgain = judge(.rest(from: 400, ifRange: "\"v1\""), whole) else {
            Issue.record("\(name) was passed over")
            return
        }
        #expect(judge(.whole, whole) == .take(total: 1000))
        #expect(judge(.whole, Sample.answer(412, ["Content-Length": "9"])) == .take(total: 9))
        #expect(judge(.whole, Sample.answer(304, [:])) == .take(total: nil))
    }

    @Test(arguments: [304, 412])
    func anAnswerToAConditionNobodyAskedIsNoneAndReplacesNothing(status: Int) {
        guard case .startAgain = judge(status, ["Content-Length": "0"]) else {
            Issue.record("\(status) replaced what is held")
            return
        }
    }

    @Test func anUnsatisfiedRangeIsCompleteOnlyWithTheRightLength() {
        let complete = ResumePolicy.judge(
            Sample.answer(416, ["Content-Range": "bytes */400"]), plan: .rest(from: 400, ifRange: "\"v1\""),
            held: Sample.held(400))
        #expect(complete == .alreadyComplete)
        for fields in [
            ["Content-Range": "bytes */1000"], ["Content-Range": "bytes */400"],
            ["Content-Range": "bytes */*"], [:], ["Content-Range": "x"],
        ] {
            guard case .startAgain = judge(416, fields) else {
                Issue.record("\(fields)")
                continue
            }
        }
    }

    @Test(arguments: [408, 425, 429, 500, 502, 503, 504])
    func aBusyServersErrorPageDoesNotReplaceHeldBytes(status: Int) {
        #expect(judge(status, ["Retry-After": "7"]) == .retryLater(reason: "status \(status)", after: 7))
    }

    @Test(arguments: [401, 403, 404, 410])
    func anotherErrorIsTheAnswer(status: Int) {
        #expect(judge(status, ["Content-Length": "9"]) == .take(total: 9))
    }

    @Test(arguments: [500, 503, 404, 416, 200, 301])
    func withoutHeldBytesEveryStatusIsTheAnswer(status: Int) {
        let verdict = ResumePolicy.judge(
            Sample.answer(status, ["Content-Length": "9"]), plan: .whole, held: nil)
        #expect(verdict == .take(total: 9))
    }

    @Test func twoDifferentLengthsAreAnError() {
        var answer = Sample.answer()
        answer.headers = [HeaderField("Content-Length", "5"), HeaderField("content-length", "6")]
        guard case .fail(ErrorCode.badServerResponse, _) = ResumePolicy.judge(answer, plan: .whole, held: nil)
        else {
            Issue.record("a body of two lengths was taken")
            return
        }
        answer.headers[1].value = "5"
        #expect(ResumePolicy.judge(answer, plan: .whole, held: nil) == .take(total: 5))
    }

    @Test func aPartNobodyAskedForIsTheWholeOnlyWhenItIsAllOfIt() {
        func judge(_ range: String, own: [HeaderField] = []) -> Verdict {
            ResumePolicy.judge(
                Sample.answer(206, ["Content-Range": range]), plan: .whole, held: nil,
                own: OwnConditions(own))
        }
        #expect(judge("bytes 0-9/10") == .take(total: 10))
        for part in ["bytes 5-9/10", "bytes 0-8/10", "bytes 0-9/*", "bytes */10"] {
            guard case .fail = judge(part) else {
                Issue.record("\(part) was taken for the whole")
                continue
            }
        }
        #expect(judge("bytes 5-9/10", own: [HeaderField("range", "bytes=5-")]) == .take(total: nil))
    }

    @Test(arguments: ["-5", "+5", "", "5 5", "99999999999999999999"])
    func aLengthThatIsNotDigitsIsUnknown(length: String) {
        let answer = Sample.answer(200, ["Content-Length": length])
        #expect(ResumePolicy.judge(answer, plan: .whole, held: nil) == .take(total: nil))
    }

    @Test func aCompressedBodysLengthIsUnknown() {
        let answer = Sample.answer(200, ["Content-Encoding": "gzip", "Content-Length": "50"])
        #expect(ResumePolicy.judge(answer, plan: .whole, held: nil) == .take(total: nil))
    }
}
