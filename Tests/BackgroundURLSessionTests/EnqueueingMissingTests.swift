// A wish that the service has not answered is nobody's task yet: the delegate hears nothing of it.
import Foundation
import Testing
import TransferProtocol

@testable import BackgroundURLSession

@Suite struct EnqueueingMissingTests {
    private typealias Outcome = Result<
        BackgroundURLSession.URLSession.EnqueueOutcome, BackgroundURLSession.ServiceError
    >
    private let url = URL(string: "http://127.0.0.1:1/file")

    private struct Wish {
        let service: FakeService
        let recorder = Recorder()
        let session: BackgroundURLSession.URLSession
        let outcome = Guarded<Outcome?>(nil)

        init(_ service: FakeService, _ url: URL) {
            self.service = service
            session = URLSession(
                configuration: service.configuration(), delegate: recorder, delegateQueue: nil)
            session.enqueueMissing(URLRequest(url: url), description: "wish") { [outcome] result in
                outcome.with { $0 = result }
            }
        }
    }

    @Test func whenTheServiceIsGoneForGoodTheHandlerAloneHears() async throws {
        let service = try FakeService()
        service.answer(EnqueueMissing.method) { _ in .silence }
        let wish = Wish(service, try #require(url))
        #expect(service.wait(for: EnqueueMissing.method).count == 1)
        service.stop()
        try await poll { wish.outcome.with { $0 } != nil }
        guard case .failure? = wish.outcome.with({ $0 }) else {
            Issue.record("it was not made")
            return
        }
        // Behind whatever was on its way to the delegate.
        await withCheckedContinuation { done in wish.session.delegateQueue.addOperation { done.resume() } }
        #expect(wish.recorder.heard == [])
    }

    /// A service that answers the wish when the session has been invalidated.
    private func invalidate(_ existing: Int?) throws -> Wish {
        let service = try FakeService()
        let isInvalid = Flag()
        service.answer(EnqueueMissing.method) { _ in
            while !isInvalid.isUp { usleep(1000) }
            return .result(EnqueueMissing.Result(existing: existing))
        }
        service.answer(CancelTask.method) { _ in
            existing == nil
                ? .result(CancelTask.Result(resumeData: nil))
                : .refuse(.refused(.noSuchTask, "no such task"))
        }
        service.answer(ListTasks.method) { _ in
            .result(ListTasks.Result(tasks: existing == nil ? [.fake(1)] : [], next: nil))
        }
        let wish = Wish(service, try #require(url))
        #expect(service.wait(for: EnqueueMissing.method).count == 1)
        wish.session.invalidateAndCancel()
        isInvalid.raise()
        return wish
    }

    @Test func aCancelledSessionSaysNothingOfAWishThatWasThere() throws {
        let wish = try invalidate(7)
        #expect(wish.recorder.wait(for: "invalid") == ["invalid nil"])
        #expect(wish.service.wait(for: CancelTask.method, 0).isEmpty)
    }

    @Test func aCancelledSessionCancelsAWishThatWasMissing() throws {
        let wish = try invalidate(nil)
        let call = try #require(wish.service.wait(for: CancelTask.method).first).read(CancelTask.self)
        #expect(call.identifier == 1)
    }
}
