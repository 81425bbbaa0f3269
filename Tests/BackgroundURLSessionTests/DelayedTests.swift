// A task whose begin date has come: what the delegate is asked, and what the service hears of its answer.
import Foundation
import Testing
import TransferProtocol

@testable import BackgroundURLSession

@Suite struct DelayedTests {
    private final class Handler: NSObject, URLSessionTaskDelegate, @unchecked Sendable {
        let answer: (URLSession.DelayedRequestDisposition, URLRequest?)
        let asked = Guarded<[String]>([])
        init(_ answer: (URLSession.DelayedRequestDisposition, URLRequest?)) { self.answer = answer }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
            completionHandler: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
        ) {
            asked.with { $0.append("\(task.taskIdentifier) \(request.url?.path ?? "")") }
            completionHandler(answer.0, answer.1)
        }
    }

    private final class Asynchronous: NSObject, URLSessionTaskDelegate, Sendable {
        func urlSession(
            _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest
        ) async -> (URLSession.DelayedRequestDisposition, URLRequest?) {
            var other = request
            other.setValue("async", forHTTPHeaderField: "X")
            return (.useNewRequest, other)
        }
    }

    private final class Silent: NSObject, URLSessionTaskDelegate, Sendable {}

    /// What the service hears of a task that it asks about.
    private func heard(
        _ delegate: (any URLSessionDelegate)?, _ method: String = BeginTask.method
    ) async throws -> FakeService.Heard {
        let service = try FakeService()
        let session = URLSession(
            configuration: service.configuration(), delegate: delegate, delegateQueue: nil)
        let task = session.downloadTask(with: try #require(URL(string: "http://127.0.0.1:1/file")))
        task.earliestBeginDate = Date(timeIntervalSinceNow: 1)
        task.resume()
        try session.commit()
        #expect(
            try service.wait(for: AttachSession.method).first?.read(AttachSession.self).asksToBegin == true)
        try service.tell(AskToBegin(identifier: 1))
        // Not on a thread that the async form may need.
        let heard = await withCheckedContinuation { done in
            DispatchQueue.global().async { done.resume(returning: service.wait(for: method, seconds: 60)) }
        }
        return try #require(heard.first)
    }

    @Test func theHandlerFormIsAskedAndItsNewRequestIsTheAnswer() async throws {
        var other = URLRequest(url: try #require(URL(string: "http://127.0.0.1:1/other")))
        other.setValue("1", forHTTPHeaderField: "X")
        let handler = Handler((.useNewRequest, other))
        let call = try await heard(handler).read(BeginTask.self)
        #expect(call.identifier == 1)
        #expect(call.request?.url == "http://127.0.0.1:1/other")
        #expect(call.request?.headers == [HeaderField("X", "1")])
        #expect(handler.asked.with { $0 } == ["1 /file"])
    }

    @Test func theAsyncFormIsAskedToo() async throws {
        #expect(
            try await heard(Asynchronous()).read(BeginTask.self).request?.headers == [
                HeaderField("X", "async")
            ])
    }

    @Test func aDelegateThatSaysNothingAndNoDelegateMeanContinue() async throws {
        #expect(try await heard(Silent()).read(BeginTask.self).request == nil)
        #expect(try await heard(nil).read(BeginTask.self).request == nil)
    }

    private final class Thoughtful: NSObject, URLSessionTaskDelegate, @unchecked Sendable {
        typealias Answer = @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
        let asked = Guarded<[Answer]>([])

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
            completionHandler: @escaping Answer
        ) {
            asked.with { $0.append(completionHandler) }
        }
    }

    @Test func whileTheDelegateThinksAServiceThatAsksAgainIsGivenTheOneAnswer() async throws {
        let service = try FakeService()
        let delegate = Thoughtful()
        let session = URLSession(
            configuration: service.configuration(), delegate: delegate, delegateQueue: nil)
        let task = session.downloadTask(with: try #require(URL(string: "http://127.0.0.1:1/file")))
        task.earliestBeginDate = Date(timeIntervalSinceNow: 1)
        task.resume()
        try session.commit()
        for _ in 0..<3 { try service.tell(AskToBegin(identifier: 1)) }
        try service.tell(ReportTask(task: .fake(1, .download, .running, received: 7)))
        let deadline = Date(timeIntervalSinceNow: 30)
        while task.countOfBytesReceived != 7, Date() < deadline {
            try await Task.sleep(nanoseconds: 5_000_000)
        }
        let answers = delegate.asked.with { $0 }
        #expect(answers.count == 1)
        answers.first?(.continueLoading, nil)
        #expect(try service.wait(for: BeginTask.method).first?.read(BeginTask.self).identifier == 1)
    }

    @Test func aTaskOfAnEarlierProcessIsAskedAbout() throws {
        let service = try FakeService()
        service.answer(ListTasks.method) { _ in
            .result(ListTasks.Result(tasks: [.fake(3, .download, .waiting)], next: nil))
        }
        let other = URLRequest(url: try #require(URL(string: "http://127.0.0.1:1/other")))
        let handler = Handler((.useNewRequest, other))
        let session = URLSession(
            configuration: service.configuration(), delegate: handler, delegateQueue: nil)
        try session.waitUntilAttached()
        try service.tell(AskToBegin(identifier: 3))
        let call = try #require(service.wait(for: BeginTask.method, seconds: 60).first).read(BeginTask.self)
        #expect(call.identifier == 3 && call.request?.url == "http://127.0.0.1:1/other")
        #expect(handler.asked.with { $0 } == ["3 /file"])
    }

    @Test func aTaskThatTheServiceDoesNotListEitherBeginsAsItIs() throws {
        let service = try FakeService()
        let handler = Handler((.cancel, nil))
        let session = URLSession(
            configuration: service.configuration(), delegate: handler, delegateQueue: nil)
        try session.waitUntilAttached()
        try service.tell(AskToBegin(identifier: 3))
        let call = try #require(service.wait(for: BeginTask.method, seconds: 60).first).read(BeginTask.self)
        #expect(call.identifier == 3 && call.request == nil)
        #expect(handler.asked.with { $0 } == [])
    }

    @Test func cancelCancelsTheTask() async throws {
        #expect(
            try await heard(Handler((.cancel, nil)), CancelTask.method).read(CancelTask.self).identifier == 1)
    }

    @Test func aNewRequestThatIsNoneMeansContinue() async throws {
        #expect(try await heard(Handler((.useNewRequest, nil))).read(BeginTask.self).request == nil)
    }
}
