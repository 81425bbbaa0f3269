// How a session ends.
import Foundation
import Testing
import TransferProtocol

@testable import BackgroundURLSession

@Suite struct InvalidatingTests {
    let url = URL(string: "http://127.0.0.1:1/file")

    @Test func aFinishingSessionWaitsForItsTasksAndThenFreesItsName() throws {
        let service = try FakeService()
        let recorder = Recorder()
        let again = Guarded<URLSession?>(nil)
        recorder.onInvalid = {
            again.with {
                $0 = URLSession(
                    configuration: service.configuration(), delegate: Recorder(), delegateQueue: nil)
            }
        }
        let session = URLSession(
            configuration: service.configuration(), delegate: recorder, delegateQueue: nil)
        session.downloadTask(with: try #require(url)).resume()
        session.finishTasksAndInvalidate()
        let refused = session.downloadTask(with: try #require(url))
        refused.resume()
        #expect(recorder.wait(for: "complete 2").last == "complete 2 -999")
        #expect(!recorder.heard.contains("invalid nil"))
        try service.event(1, .completed(error: nil), .fake(1))
        #expect(recorder.wait(for: "invalid").suffix(2) == ["complete 1 nil", "invalid nil"])
        // Let go after the message has returned.
        for _ in 0..<1000 where session.delegate != nil { usleep(1000) }
        #expect(session.delegate == nil)
        #expect(service.wait(for: AttachSession.method, 2).count == 2)
        try #require(again.with { $0 }).waitUntilAttached()
        let late = session.downloadTask(with: try #require(url))
        late.resume()
        while late.state != .completed { usleep(1000) }
        #expect((late.error as? URLError)?.code == .cancelled)
        #expect(recorder.heard.last == "invalid nil")
    }

    @Test func aCancellingSessionAlsoCancelsTheTasksOfEarlierProcesses() throws {
        let service = try FakeService()
        service.answer(ListTasks.method) { _ in .result(ListTasks.Result(tasks: [.fake(1)], next: nil)) }
        service.answer(AttachSession.method) { _ in
            .result(AttachSession.Result(nextTaskIdentifier: 2, waitingEvents: 0))
        }
        service.answer(CancelTask.method) { [service] heard in
            if let call = try? heard.read(CancelTask.self) {
                try? service.event(
                    Int64(call.identifier), .completed(error: ErrorRecord(-999, "cancelled")),
                    .fake(call.identifier))
            }
            return .result(CancelTask.Result(resumeData: nil))
        }
        let recorder = Recorder()
        let session = URLSession(
            configuration: service.configuration(), delegate: recorder, delegateQueue: nil)
        session.downloadTask(with: try #require(url)).resume()
        session.invalidateAndCancel()
        let heard = recorder.wait(for: "invalid")
        #expect(heard.last == "invalid nil")
        #expect(Set(heard) == ["created 2", "complete 1 -999", "complete 2 -999", "invalid nil"])
        service.answer(CancelTask.method) { _ in .silence }
    }

    @Test func aSessionWithNothingToDoEndsAtOnce() throws {
        let service = try FakeService()
        let recorder = Recorder()
        URLSession(configuration: service.configuration(), delegate: recorder, delegateQueue: nil)
            .finishTasksAndInvalidate()
        #expect(recorder.wait(for: "invalid") == ["invalid nil"])
    }

    @Test func aTaskThatCannotComeToAnythingDoesNotHoldUpTheEnd() throws {
        let service = try FakeService()
        service.answer(CreateTask.method) { _ in .refuse(.invalidRequest("no")) }
        let recorder = Recorder()
        let session = URLSession(
            configuration: service.configuration(), delegate: recorder, delegateQueue: nil)
        _ = session.downloadTask(with: try #require(url))
        session.finishTasksAndInvalidate()
        #expect(recorder.wait(for: "invalid").last == "invalid nil")
    }
}
