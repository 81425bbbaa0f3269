// What becomes of each of the engine's failures (SEMANTICS 16): weather is waited out, what trying again
// cannot mend ends the task with Apple's code.
import Foundation
import HTTPEngine
import Testing
import TransferProtocol

@testable import TransferService

@Suite struct FailurePolicyTests {
    private func end(_ kind: EngineFailure.Kind, url: String = "http://h/") -> AttemptEnd {
        let outcome = EngineOutcome(
            result: .failure(EngineFailure(kind, message: "why", path: "/a/file")), head: nil, bodyLength: 0,
            sent: 0, isCloseDelimited: false, metrics: EngineMetrics())
        return FailurePolicy.sort(outcome, url: url)
    }

    @Test(arguments: [
        (EngineFailure.Kind.cannotResolveHost, -1003), (.cannotResolveProxy, -1003), (.cannotConnect, -1004),
        (.connectionLost, -1005), (.truncated, -1005), (.timedOut, -1001),
    ])
    func weatherIsTriedAgain(kind: EngineFailure.Kind, code: Int) {
        #expect(end(kind) == .lost(code: code, reason: "why"))
    }

    @Test(arguments: [
        (EngineFailure.Kind.badURL, -1000), (.unsupportedScheme, -1002), (.tooManyRedirects, -1007),
        (.badResponse, -1011), (.cannotDecode, -1016), (.certificateExpired, -1201),
        (.certificateUntrusted, -1202), (.certificateNotYetValid, -1204), (.sourceMissing, -1100),
        (.sourceUnreadable, -1102), (.sourceChanged, -3001), (.bodyFileCannotOpen, -3000),
        (.bodyFileCannotWrite, -3003), (.bodyFileNoSpace, -3003),
    ])
    func whatTryingAgainCannotMendEndsTheTask(kind: EngineFailure.Kind, code: Int) {
        guard case .broken(let error) = end(kind) else {
            Issue.record("\(kind) is tried again")
            return
        }
        #expect(error.code == code)
    }

    @Test(arguments: [EngineFailure.Kind.sourceMissing, .sourceChanged, .sourceUnreadable])
    func aFailureOfTheSourceNamesItAndSaysWhatHelps(kind: EngineFailure.Kind) {
        guard case .broken(let error) = end(kind) else { return }
        #expect(error.path == "/a/file")
        #expect(error.message.contains("/a/file"))
    }

    /// Errors travel to programs, logs and terminals; a signed address is a credential.
    @Test(arguments: EngineFailure.Kind.allCases)
    func noErrorsSentenceHoldsTheAddressesQuery(kind: EngineFailure.Kind) {
        if case .broken(let error) = end(kind, url: "http://h/?signature=secret") {
            #expect(!error.message.contains("secret"))
        }
    }
}
