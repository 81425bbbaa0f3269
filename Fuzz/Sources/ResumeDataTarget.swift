// Resume data: a stranger may hand over any bytes as such. What is accepted is ours to the letter of its
// mark, and is the same after being written and read.
import Foundation
import TransferProtocol
import TransferStore

@testable import TransferService

func fuzzResumeData(_ input: [UInt8]) {
    let data = Data(input)
    let head = ResumeDataHead(data)
    guard let description = ResumeDescription(data) else { return }
    promise(description.format == ResumeDescription.mark, "only our format is accepted")
    promise(head?.request == description.request, "the client reads the request that the service continues")
    guard let written = description.encoded else { fatalError("broken promise: it cannot be written again") }
    promise(ResumeDescription(written) == description, "it says the same when it is read back")
    promise(description.received >= 0, "\(description.received) bytes have been received")
    promise((description.held.total ?? 0) >= 0, "the whole has \(description.held.total ?? 0) bytes")

    var task = TaskRecord(
        session: 1, configuration: 1, identifier: 1, token: description.token, kind: .download, lane: "",
        request: description.request, created: Date(timeIntervalSince1970: 0))
    task.held = HeldBody(response: description.held.response, total: description.held.total)
    for length in [0, description.received] {
        switch ResumePolicy.plan(for: task, bodyLength: length) {
        case .rest(let offset, let validator):
            promise(offset == length && offset > 0, "it goes on from \(offset) with \(length) bytes on disk")
            promise(!validator.hasPrefix("W/"), "a weak tag is no validator for a range")
        case .complete:
            promise(description.held.total == length, "\(length) bytes are called the whole")
        case .whole:
            break
        }
    }
    _ = RequestCheck.lane(session: 1, url: description.request.url)
}
