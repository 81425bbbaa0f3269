import Foundation
import Testing
import TransferStore

@testable import TransferService

@Suite struct ResumeDescriptionTests {
    private func description(received: Int64 = 400, total: Int64? = 1000) -> ResumeDescription {
        ResumeDescription(
            token: Sample.token, request: Sample.task().request,
            held: HeldBody(response: Sample.resumable(), total: total), received: received)
    }

    @Test func whatWasWrittenIsReadBack() throws {
        let written = try #require(description().encoded)
        #expect(ResumeDescription(written) == description())
    }

    @Test func lengthsBelowZeroAreNotOurs() throws {
        for wrong in [description(received: -1), description(total: -1), description(received: .min)] {
            #expect(ResumeDescription(try #require(wrong.encoded)) == nil)
        }
    }

    @Test func anotherFormatIsNotOurs() throws {
        var other = description()
        other.format = "background-urlsession-resume-2"
        #expect(ResumeDescription(try #require(other.encoded)) == nil)
        #expect(ResumeDescription(Data("bplist00".utf8)) == nil)
    }
}
