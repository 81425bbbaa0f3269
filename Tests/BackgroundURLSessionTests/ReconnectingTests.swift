// The service gone and back: the app does not notice.
import Foundation
import Testing
import TransferProtocol

@testable import BackgroundURLSession

@Suite struct ReconnectingTests {
    let url = URL(string: "http://127.0.0.1:1/file")

    @Test func whatWasNotAnsweredIsSaidAgainInOrder() throws {
        let service = try FakeService()
        let hasHungUp = Guarded(false)
        service.answer(CreateTask.method) { heard in heard.connection == 1 ? .silence : .result(NoContent()) }
        service.answer(ResumeTask.method) { heard in
            if heard.connection > 1 { return .result(NoContent()) }
            hasHungUp.with { $0 = true }
            return .hangUp
        }
        let recorder = Recorder()
        let session = URLSession(
            configuration: service.configuration(), delegate: recorder, delegateQueue: nil)
        let task = session.downloadTask(with: try #require(url))
        task.resume()
        try session.commit()
        #expect(hasHungUp.with { $0 })
        let creates = try service.wait(for: CreateTask.method, 2).map { try $0.read(CreateTask.self) }
        #expect(creates.count == 2)
        #expect(creates.first?.token == creates.last?.token)
        #expect(creates.first?.identifier == creates.last?.identifier)
        #expect(service.wait(for: AttachSession.method, 2).count == 2)
        try service.event(1, .completed(error: nil), .fake(1))
        #expect(recorder.wait(for: "complete") == ["created 1", "complete 1 nil"])
    }

    @Test func anEventThatComesAgainIsAcknowledgedAgainAndNotToldAgain() throws {
        let service = try FakeService()
        let recorder = Recorder()
        let session = URLSession(
            configuration: service.configuration(), delegate: recorder, delegateQueue: nil)
        try session.waitUntilAttached()
        try service.event(1, .completed(error: nil), .fake(1))
        #expect(service.wait(for: AcknowledgeEvent.method).count == 1)
        service.hangUp()
        #expect(service.wait(for: AttachSession.method, 2).count == 2)
        try session.commit()
        try service.event(1, .completed(error: nil), .fake(1))
        try service.event(2, .completed(error: nil), .fake(2))
        #expect(service.wait(for: AcknowledgeEvent.method, 3).count == 3)
        #expect(recorder.heard == ["complete 1 nil", "complete 2 nil"])
    }

    @Test func aTaskThatTheServiceLostEnds() throws {
        let service = try FakeService()
        let recorder = Recorder()
        let session = URLSession(
            configuration: service.configuration(), delegate: recorder, delegateQueue: nil)
        session.downloadTask(with: try #require(url)).resume()
        try session.commit()
        service.answer(ResumeTask.method) { _ in .refuse(.refused(.noSuchTask, "no such task")) }
        service.hangUp()
        #expect(recorder.wait(for: "complete").last == "complete 1 -997")
    }

    @Test func aServiceThatCannotComeBackEndsItsTasks() throws {
        let service = try FakeService()
        let recorder = Recorder()
        let session = URLSession(
            configuration: service.configuration(), delegate: recorder, delegateQueue: nil)
        session.downloadTask(with: try #require(url)).resume()
        try session.commit()
        service.stop()
        #expect(recorder.wait(for: "complete").last == "complete 1 -997")
    }

    @Test func aTaskThatFailedBeforeTheFirstAttachmentHidesNoneOfAnEarlierProcess() throws {
        let service = try FakeService()
        service.stop()
        let recorder = Recorder()
        let session = URLSession(
            configuration: service.configuration(), delegate: recorder, delegateQueue: nil)
        session.downloadTask(with: try #require(url)).resume()
        #expect(recorder.wait(for: "complete").last == "complete 1 -997")
        try service.listen()
        // A session looks for its service again when a task is made, once a second.
        let deadline = Date(timeIntervalSinceNow: 30)
        while !service.methods.contains(AttachSession.method), Date() < deadline {
            _ = session.downloadTask(with: try #require(url))
            usleep(200_000)
        }
        try session.commit()
        try service.event(1, .completed(error: nil), .fake(1))
        #expect(recorder.wait(for: "complete 1 nil").last == "complete 1 nil")
        let acknowledged = try service.wait(for: AcknowledgeEvent.method).first?.read(AcknowledgeEvent.self)
        #expect(acknowledged?.sequence == 1 && acknowledged?.withheld == nil)
    }

    @Test func manyUnansweredCallsDoNotFillTheSocketsOfBothSides() throws {
        let service = try FakeService()
        service.answer(CreateTask.method) { heard in heard.connection == 1 ? .silence : .result(NoContent()) }
        let session = URLSession(configuration: service.configuration())
        for _ in 0..<2000 { _ = session.downloadTask(with: try #require(url)) }
        #expect(service.wait(for: CreateTask.method, 2000).count == 2000)
        service.hangUp()
        try session.commit()
        #expect(service.wait(for: CreateTask.method, 4000).count == 4000)
        let again = try service.wait(for: CreateTask.method, 4000).suffix(2000)
            .map { try $0.read(CreateTask.self).identifier }
        #expect(again == Array(1...2000))
    }

    @Test func leavingTheProcessWaitsForAnswersButNotForEver() throws {
        let service = try FakeService()
        service.answer(ResumeTask.method) { _ in
            Thread.sleep(forTimeInterval: 0.2)
            return .result(NoContent())
        }
        let session = URLSession(configuration: service.configuration())
        let task = session.downloadTask(with: try #require(url))
        task.resume()
        let link = try #require(session.core.link as? ServiceLink)
        let began = Date()
        link.waitForAnswers(until: Date(timeIntervalSinceNow: 5))
        let took = Date().timeIntervalSince(began)
        #expect(took > 0.1 && took < 4)
        service.answer(SuspendTask.method) { _ in .silence }
        task.suspend()
        link.waitForAnswers(until: Date(timeIntervalSinceNow: 0.2))
        #expect(service.wait(for: SuspendTask.method).count == 1)
    }

    @Test func resumeWaitsForTheServiceThatIsBeingStartedAgain() throws {
        let service = try FakeService()
        let session = URLSession(configuration: service.configuration())
        let task = session.downloadTask(with: try #require(url))
        try session.commit()
        service.answer(AttachSession.method) { [service] heard in
            usleep(100_000)
            service.closeGate()
            return .result(AttachSession.Result(nextTaskIdentifier: 2, waitingEvents: 0))
        }
        service.hangUp()
        task.resume()
        #expect(service.unread().contains("task.resume"))
        service.openGate()
        service.answer(AttachSession.method) { _ in .silence }
    }
}
