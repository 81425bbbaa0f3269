// The gate of `bytes(for:)`, between a task and a loop that may come late.
import Foundation
import Testing

@testable import BackgroundURLSession

@Suite struct BytesGateTests {
    @Test func anEndThatComesBeforeTheHeadIsAskedForIsTheAnswer() async throws {
        let gate = BytesGate()
        gate.end(URLError(.cancelled))
        let caught = Guarded<URLError.Code?>(nil)
        Task {
            do { _ = try await gate.response {} } catch { caught.with { $0 = (error as? URLError)?.code } }
        }
        try await poll { caught.with { $0 } != nil }
        #expect(caught.with { $0 } == .cancelled)
    }
}
