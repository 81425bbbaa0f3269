// A task's own delegate beside its session's: which of the two wrote a method, and where the second is asked.
import Foundation
import Testing

@testable import BackgroundURLSession

/// Makes a task when one has ended, as a retry does.
private final class Retrying: NSObject, URLSessionDataDelegate, Sendable {
    let recorder: AnswerRecorder
    init(_ recorder: AnswerRecorder) { self.recorder = recorder }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        if let request = task.originalRequest { _ = session.dataTask(with: request) }
        recorder.note("own end")
    }
}

/// Hands on to a delegate that has nothing but defaults.
private final class HandingOn: NSObject, URLSessionDataDelegate, Sendable {
    let recorder: AnswerRecorder
    init(_ recorder: AnswerRecorder) { self.recorder = recorder }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        Silent().urlSession(session, task: task, didCompleteWithError: error)
        recorder.note("own end")
    }
}

/// Fetches something before it answers a challenge, as one that needs a token does.
private final class Fetching: NSObject, URLSessionTaskDelegate, Sendable {
    let token: URL
    init(_ token: URL) { self.token = token }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        let word = try? await session.data(from: token).0
        let password = word.map { String(decoding: $0, as: UTF8.self) } ?? ""
        return (.useCredential, URLCredential(user: "me", password: password, persistence: .none))
    }
}

private final class Silent: NSObject, URLSessionDataDelegate, Sendable {}

private final class Placing: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    let isOnQueue = Guarded<Bool?>(nil)

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        isOnQueue.with { $0 = OperationQueue.current === session.delegateQueue }
        completionHandler(.allow)
    }
}

@Suite struct OwnDelegateTests {
    /// What the world hears of a data task with that delegate, to the end of the call that ends it.
    private func heard(
        with own: (AnswerRecorder) -> any URLSessionTaskDelegate
    ) async -> [String] {
        let server = RawServer(bytes: sampleBytes(10))
        let world = BoundWorld()
        let task = world.session.dataTask(with: server.address())
        task.delegate = own(world.recorder)
        task.resume()
        await world.recorder.wait(for: "own end")
        await withCheckedContinuation { done in world.session.delegateQueue.addOperation { done.resume() } }
        return world.recorder.heard
    }

    @Test func aTaskMadeInAnOwnMethodDoesNotMakeItADefault() async {
        #expect(await heard { Retrying($0) } == ["response 200", "data", "own end"])
    }

    @Test func anOwnMethodThatHandsOnToADefaultIsNoDefault() async {
        #expect(await heard { HandingOn($0) } == ["response 200", "data", "own end"])
    }

    @Test func anOwnMethodThatTransfersSomethingStillAnswers() async throws {
        let server = RawServer { connection, _ in
            while let request = connection.request() {
                if request.target == "/token" || request.value("Authorization") == "Basic bWU6d29yZA==" {
                    connection.sendBody(Array("word".utf8))
                } else {
                    connection.sendBody(
                        [], head: "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"r\"\r\n")
                }
            }
        }
        let world = BoundWorld()
        let (_, response) = try await world.session.data(
            from: server.address("/guarded"), delegate: Fetching(server.address("/token")))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
    }

    @Test func theSessionsDelegateIsAskedOnItsQueueWhenTheTasksHasNoAnswer() async throws {
        let server = RawServer(bytes: sampleBytes(10))
        let delegate = Placing()
        let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
        let task = session.dataTask(with: server.address())
        task.delegate = Silent()
        task.resume()
        try await poll { delegate.isOnQueue.with { $0 } != nil }
        #expect(delegate.isOnQueue.with { $0 } == true)
    }
}
