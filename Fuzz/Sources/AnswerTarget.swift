// What a server's fields may say about bytes that are on disk. The input is a status, an offset, a length
// and a line for each field; the judge's verdicts must follow from them by RFC 9110.
import Foundation
import TransferProtocol
import TransferStore

@testable import TransferService

func fuzzAnswer(_ input: [UInt8]) {
    let lines = String(decoding: input, as: UTF8.self).split(
        separator: "\n", omittingEmptySubsequences: false)
    let numbers = lines.first?.split(separator: " ").map { Int64($0) ?? 0 } ?? []
    let status = Int(truncatingIfNeeded: numbers.first ?? 206) % 1000
    let offset = max(1, numbers.dropFirst().first ?? 400)
    let total = numbers.dropFirst(2).first.map { max(offset, $0) }
    let fields = lines.dropFirst().map(field)

    for field in fields {
        checkRange(field.value)
        checkDate(field.value)
        for offer in AuthenticationOffer.read(field.value) {
            promise(!offer.scheme.isEmpty, "an offer without a scheme in '\(field.value)'")
        }
    }
    let response = ResponseRecord(url: "http://h/", status: status, headers: fields)
    if let seconds = RetryPolicy.retryAfter(fields) {
        promise(seconds >= 0 && seconds.isFinite, "Retry-After is \(seconds) s")
    }
    let delay = RetryPolicy.delay(failures: 1, retryAfter: RetryPolicy.retryAfter(fields), chance: 0.5)
    promise(delay.isFinite && delay >= 0, "the next attempt comes after \(delay) s")
    checkValidator(response)
    let held = HeldBody(response: response, total: total)
    checkRest(response, offset: offset, held: held)
    checkWhole(response)
}

private func field(_ line: Substring) -> HeaderField {
    let name = line.firstIndex(of: ":").map { String(line[..<$0]) }
    // A value comes from the head's reader, without white space around it.
    let value = (name == nil ? line : line.dropFirst((name ?? "").count + 1))
        .trimmingCharacters(in: .whitespaces)
    return HeaderField(name ?? "Content-Range", value)
}

/// What is accepted is what the grammar allows (RFC 9110 §14.4), and can be computed with.
private func checkRange(_ text: String) {
    guard let range = ContentRange(text) else { return }
    promise(
        text.wholeMatch(of: /(?i)bytes +(\d+-\d+|\*)\/(\d+|\*) */) != nil, "'\(text)' is no Content-Range")
    switch range {
    case .range(let first, let last, let complete):
        promise(first >= 0 && last >= first, "'\(text)' ends before it begins")
        promise(complete.map { $0 > last } ?? true, "'\(text)' ends beyond its end")
    case .unsatisfied(let complete):
        promise(complete >= 0, "'\(text)' has a negative length")
    }
}

/// A date is within the years that its four digits can say.
private func checkDate(_ text: String) {
    guard let seconds = HTTPDate.seconds(text) else { return }
    promise((-62_167_219_200...253_402_300_800).contains(seconds), "'\(text)' is \(seconds) s after 1970")
}

private func checkValidator(_ response: ResponseRecord) {
    guard let validator = ResumePolicy.validator(of: response) else { return }
    promise(!validator.hasPrefix("W/"), "a weak tag is no validator for a range")
    promise(
        response.headers.first("ETag") == validator || response.headers.first("Last-Modified") == validator,
        "the validator is the server's own, to the letter")
}

private func checkRest(_ response: ResponseRecord, offset: Int64, held: HeldBody) {
    let verdict = ResumePolicy.judge(response, plan: .rest(from: offset, ifRange: "\"v\""), held: held)
    switch verdict {
    case .append(let end, let total):
        promise(response.status == 206, "only a 206 continues a body")
        guard let value = response.headers.first("Content-Range"),
            case .range(let first, let last, _)? = ContentRange(value)
        else { fatalError("broken promise: a part without a range is continued") }
        promise(first == offset, "a part from \(first) is put at \(offset)")
        promise(end == last + 1, "a part up to \(last) is taken up to \(end)")
        promise(total > last, "a body of \(total) bytes has a byte \(last)")
        promise(held.total.map { $0 == total } ?? true, "a body has two lengths")
    case .take(let total):
        promise(response.status != 206, "a part replaces what is held")
        promise(total.map { $0 >= 0 } ?? true, "a body has \(total ?? 0) bytes")
    case .alreadyComplete:
        promise(response.status == 416 && held.total == offset, "an incomplete body is called complete")
    case .retryLater(_, let after):
        promise(after.map { $0 >= 0 } ?? true, "a wait of \(after ?? 0) s")
    case .startAgain, .fail, .challenged:
        break
    }
}

private func checkWhole(_ response: ResponseRecord) {
    switch ResumePolicy.judge(response, plan: .whole, held: nil) {
    case .take(let total):
        promise(total.map { $0 >= 0 } ?? true, "a body has \(total ?? 0) bytes")
        guard response.status == 206 else { return }
        guard let value = response.headers.first("Content-Range"),
            case .range(0, let last, let complete?)? = ContentRange(value)
        else { fatalError("broken promise: a part that nobody asked for is taken for the whole") }
        promise(last == complete - 1, "bytes up to \(last) of \(complete) are taken for the whole")
    case .fail:
        break
    case .append, .alreadyComplete, .startAgain, .retryLater, .challenged:
        fatalError("broken promise: without bytes on disk every answer is the answer")
    }
}
