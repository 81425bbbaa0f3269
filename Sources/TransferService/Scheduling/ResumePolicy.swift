// Whether bytes on disk may be continued, how to ask for the rest, and what an answer means for them.
// Pure; called on curl's thread and on the scheduler's queue. The rules are RFC 9110 §8.8, 13.1.5, 14,
// 15.3.7 and 15.5.17.
import Foundation
import TransferProtocol
import TransferStore

/// What the next attempt asks for.
enum AttemptPlan: Equatable, Sendable {
    /// The whole body; what is on disk is of no use.
    case whole
    /// The bytes from an offset, if they are still those of the body on disk.
    case rest(from: Int64, ifRange: String)
    /// Nothing: every byte is on disk.
    case complete
}

/// What an answer's head means for the bytes on disk.
enum Verdict: Equatable, Sendable {
    /// This body replaces what is on disk. `total` is its length, when the answer says it.
    case take(total: Int64?)
    /// This body continues what is on disk, up to the offset `end` and not beyond. `total` is the length of
    /// the whole.
    case append(end: Int64, total: Int64)
    /// Everything is on disk already (416 with the right length).
    case alreadyComplete
    /// Not to be combined with what is on disk: ask for the whole.
    case startAgain(why: String)
    /// The server is busy; what is on disk is worth more than its error page.
    case retryLater(reason: String, after: Double?)
    /// A password is asked for; what is on disk is kept meanwhile.
    case challenged
    /// Of no use at all.
    case fail(code: Int, message: String)
}

/// Which answers are questions to the session's owner.
struct AskRule: Equatable, Sendable {
    var passwords = false
    var redirects = false
    /// The answer's body can be kept in the body file until the owner has spoken.
    var canHold = true

    func isQuestion(_ head: ResponseRecord) -> Bool {
        switch head.status {
        case 401: passwords && !AuthenticationOffer.usable(head.headers.all("WWW-Authenticate")).isEmpty
        case 407: passwords && !AuthenticationOffer.usable(head.headers.all("Proxy-Authenticate")).isEmpty
        case 301, 302, 303, 307, 308: redirects && head.headers.first("Location")?.isEmpty == false
        default: false
        }
    }
}

extension AttemptPlan {
    fileprivate var isRest: Bool { if case .rest = self { true } else { false } }
}

enum ResumePolicy {
    /// The If-Range value for the bytes of that answer, or nil when it has no strong validator.
    static func validator(of response: ResponseRecord) -> String? {
        if let tag = response.headers.first("ETag") {
            // A weak tag also forbids the date: the server says itself that bytes may differ.
            return tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.count >= 2 ? tag : nil
        }
        guard let modified = response.headers.first("Last-Modified"),
            let date = response.headers.first("Date"),
            let modifiedSeconds = HTTPDate.seconds(modified), let dateSeconds = HTTPDate.seconds(date),
            dateSeconds >= modifiedSeconds + 60
        else { return nil }
        return modified
    }

    /// Whether the body that this answer began can be continued at all.
    static func isResumable(_ held: HeldBody, request: RequestRecord) -> Bool {
        let headers = held.response.headers
        guard request.method == "GET", request.bodyFile == nil, request.headers.first("Range") == nil,
            held.response.status == 200, validator(of: held.response) != nil, !isEncoded(headers),
            headers.first("Accept-Ranges")?.lowercased() != "none"
        else { return false }
        // A body that only the connection's end delimits can be neither verified nor continued.
        return held.total != nil || headers.first("Transfer-Encoding") != nil
    }

    /// Whether a client may be given resume data: as above, and the server said that it has ranges.
    static func mayOfferResumeData(_ task: TaskRecord, bodyLength: Int64) -> Bool {
        guard task.kind == .download, let held = task.held, bodyLength > 0 else { return false }
        return isResumable(held, request: task.request)
            && held.response.headers.first("Accept-Ranges")?.lowercased() == "bytes"
    }

    static func plan(for task: TaskRecord, bodyLength: Int64) -> AttemptPlan {
        guard task.kind == .download, let held = task.held else { return .whole }
        if let total = held.total, bodyLength == total, !isEncoded(held.response.headers) { return .complete }
        guard bodyLength > 0, held.total.map({ bodyLength < $0 }) ?? true,
            isResumable(held, request: task.request), let validator = validator(of: held.response)
        else { return .whole }
        return .rest(from: bodyLength, ifRange: validator)
    }

    /// - Parameters:
    ///   - own: what the request's own fields ask for.
    ///   - asks: what is a question and not yet an answer.
    ///   - hasBody: false for answers that have none whatever their fields say (RFC 9112 §6.3): to HEAD, 204, 304.
    static func judge(
        _ head: ResponseRecord, plan: AttemptPlan, held: HeldBody?, own: OwnConditions = OwnConditions(),
        asks: AskRule = AskRule(), hasBody: Bool = true
    ) -> Verdict {
        let lengths = Set(head.headers.all("Content-Length"))
        if lengths.count > 1 {
            return .fail(
                code: ErrorCode.badServerResponse, message: "the answer has two different Content-Lengths")
        }
        if asks.isQuestion(head), !asks.canHold || plan.isRest { return .challenged }
        switch plan {
        case .whole, .complete:
            if head.status == 206, !own.asksRange { return judgeUnasked206(head) }
            return .take(total: hasBody ? bodyLength(head) : 0)
        case .rest(let offset, _):
            return judgeRest(head, offset: offset, held: held, own: own)
        }
    }

    private static func judgeRest(
        _ head: ResponseRecord, offset: Int64, held: HeldBody?, own: OwnConditions
    ) -> Verdict {
        switch head.status {
        case 206:
            return judgePartial(head, offset: offset, held: held)
        case 416:
            if let value = head.headers.first("Content-Range"),
                ContentRange(value) == .unsatisfied(complete: offset), held?.total == offset
            {
                return .alreadyComplete
            }
            return .startAgain(why: "the server cannot serve the range asked for (416)")
        case 304, 412:
            return .startAgain(why: "the server answered a condition that was not asked (\(head.status))")
        case 200 where own.asksVersion:
            // It is another version now. Whether the app wants that one is for its own conditions to decide,
            // and they were not asked this time.
            return .startAgain(why: "the file on the server has changed")
        case 408, 425, 429, 500...599:
            return .retryLater(
                reason: "status \(head.status)", after: RetryPolicy.retryAfter(head.headers))
        default:
            return .take(total: bodyLength(head))
        }
    }

    private static func judgePartial(_ head: ResponseRecord, offset: Int64, held: HeldBody?) -> Verdict {
        if head.headers.first("Content-Type")?.lowercased().hasPrefix("multipart/byteranges") == true {
            return .startAgain(why: "the server answered with several parts")
        }
        let values = Set(head.headers.all("Content-Range"))
        guard let value = values.first, values.count == 1, let range = ContentRange(value),
            case .range(let first, let last, let complete) = range, first == offset
        else { return .startAgain(why: "the partial answer does not begin where it should") }
        // Nobody could tell whether such a part is the last one.
        guard let total = held?.total ?? complete else {
            return .startAgain(why: "the partial answer does not say how long the whole is")
        }
        // Without a length of its own (`*`) the part can still say that there is more than there was.
        if complete ?? total != total || last >= total {
            return .startAgain(why: "the file on the server has another length now")
        }
        guard isOfSameVersion(head.headers, as: held?.response.headers ?? []) else {
            return .startAgain(why: "the file on the server has changed")
        }
        guard isEncoded(head.headers) == false else {
            return .startAgain(why: "the partial answer is compressed")
        }
        if let length = contentLength(head), length != last - first + 1 {
            return .startAgain(why: "the partial answer's length does not fit its range")
        }
        return .append(end: last + 1, total: total)
    }

    /// Servers exist that serve a range whatever If-Range says: what the part says of itself counts too. A tag
    /// decides alone, also when it was not there before; where both have none, the dates do. A part may be
    /// silent about either (RFC 9110 §15.3.7).
    private static func isOfSameVersion(_ part: [HeaderField], as whole: [HeaderField]) -> Bool {
        if let tag = part.first("ETag") { return tag == whole.first("ETag") }
        guard whole.first("ETag") == nil, let date = part.first("Last-Modified") else { return true }
        return date == whole.first("Last-Modified")
    }

    /// A 206 that nobody asked for is the whole body when it begins at 0 and ends at the end it names.
    private static func judgeUnasked206(_ head: ResponseRecord) -> Verdict {
        guard let value = head.headers.first("Content-Range"), let range = ContentRange(value),
            case .range(0, let last, let complete?) = range, complete == last + 1,
            contentLength(head).map({ $0 == last + 1 }) ?? true
        else {
            return .fail(
                code: ErrorCode.badServerResponse,
                message: "the server answered with a part (206) that was not asked for")
        }
        return .take(total: complete)
    }

    static func isEncoded(_ headers: [HeaderField]) -> Bool {
        guard let encoding = headers.first("Content-Encoding")?.lowercased() else { return false }
        return encoding != "identity" && !encoding.isEmpty
    }

    /// The length of the body as it will be on disk; nil when it is unknown or will be decoded.
    private static func bodyLength(_ head: ResponseRecord) -> Int64? {
        isEncoded(head.headers) ? nil : contentLength(head)
    }

    /// Content-Length, which Transfer-Encoding overrides (RFC 9112 §6.3).
    private static func contentLength(_ head: ResponseRecord) -> Int64? {
        guard head.headers.first("Transfer-Encoding") == nil else { return nil }
        return head.headers.first("Content-Length").flatMap { Digits.number($0) }
    }
}
