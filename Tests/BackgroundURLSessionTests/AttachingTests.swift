// Attaching, and what a session is when it cannot.
import Foundation
import Testing
import TransferProtocol

@testable import BackgroundURLSession

@Suite struct AttachingTests {
    @Test func aSessionAttachesWithItsConfiguration() throws {
        let service = try FakeService()
        let configuration = service.configuration()
        configuration.httpAdditionalHeaders = ["X-Token": "t", "Accept-Language": "de"]
        configuration.timeoutIntervalForResource = 77
        configuration.sharedContainerIdentifier = "library"
        configuration.access.environment["http_proxy"] = "http://proxy:1"
        configuration.access.environment["HTTP_PROXY"] = "http://forged:1"
        configuration.access.environment["HTTPS_PROXY"] = "http://proxy:2"
        let session = URLSession(configuration: configuration)
        configuration.timeoutIntervalForResource = 1
        try session.waitUntilAttached()
        let hello = try #require(service.wait(for: Hello.method).first).read(Hello.self)
        #expect(hello.client == "library")
        let attach = try #require(service.wait(for: AttachSession.method).first).read(AttachSession.self)
        #expect(attach.identifier == "one")
        #expect(attach.purpose == .own)
        #expect(attach.configuration.timeoutForResource == 77)
        #expect(
            attach.configuration.additionalHeaders == [
                HeaderField("Accept-Language", "de"), HeaderField("X-Token", "t"),
            ])
        #expect(attach.configuration.proxies.http == "http://proxy:1")
        #expect(attach.configuration.proxies.https == "http://proxy:2")
        #expect(session.configuration.timeoutIntervalForResource == 77)
    }

    @Test func anotherProcessesSessionGivesMinus996() async throws {
        let service = try FakeService()
        service.answer(AttachSession.method) { _ in
            .refuse(.refused(.sessionInUse, "in use", pid: 4711))
        }
        let recorder = Recorder()
        let session = URLSession(
            configuration: service.configuration(), delegate: recorder, delegateQueue: nil)
        #expect(throws: ServiceError.sessionInUse(identifier: "one", pid: 4711)) {
            try session.waitUntilAttached()
        }
        #expect(await session.allTasks.isEmpty)
        let task = session.downloadTask(with: try #require(URL(string: "http://127.0.0.1:1/a")))
        #expect(!recorder.heard.contains("complete 1 -996"))
        task.resume()
        #expect(recorder.wait(for: "complete").last == "complete 1 -996")
        #expect(task.state == .completed)
        #expect(!service.methods.contains(CreateTask.method))
    }

    @Test func aServiceThatCannotBeHadGivesMinus997AndALaterTaskTriesAgain() throws {
        let service = try FakeService()
        service.stop()
        let recorder = Recorder()
        let session = URLSession(
            configuration: service.configuration(), delegate: recorder, delegateQueue: nil)
        #expect(throws: ServiceError.serviceNotFound(searched: ["/nonexistent/urlsessiond"])) {
            try session.waitUntilAttached()
        }
        let url = try #require(URL(string: "http://127.0.0.1:1/a"))
        session.downloadTask(with: url).resume()
        #expect(recorder.wait(for: "complete").last == "complete 1 -997")
        try service.listen()
        Thread.sleep(forTimeInterval: 1.1)
        session.downloadTask(with: url).resume()
        #expect(service.wait(for: ResumeTask.method).count == 1)
    }

    @Test func aSecondSessionObjectSharesTheFirstOnesTasksAndHearsNothing() async throws {
        let service = try FakeService()
        let first = Recorder()
        let second = Recorder()
        let session = URLSession(configuration: service.configuration(), delegate: first, delegateQueue: nil)
        let deaf = URLSession(configuration: service.configuration(), delegate: second, delegateQueue: nil)
        let task = deaf.downloadTask(with: try #require(URL(string: "http://127.0.0.1:1/a")))
        task.resume()
        try service.event(1, .completed(error: nil), .fake(1))
        #expect(first.wait(for: "complete") == ["created 1", "complete 1 nil"])
        #expect(second.heard.isEmpty)
        #expect(service.wait(for: AttachSession.method, 2, seconds: 0.2).count == 1)
        withExtendedLifetime(session) {}
    }

    @Test func aSessionThatLeavesItsEventsAttachesToQueue() throws {
        let service = try FakeService()
        let configuration = service.configuration()
        configuration.leavesEventsUndelivered = true
        configuration.ownershipPatience = 10
        try URLSession(configuration: configuration).waitUntilAttached()
        let attach = try #require(service.wait(for: AttachSession.method).first).read(AttachSession.self)
        #expect(attach.purpose == .queue)
        #expect(attach.patience == 10)
    }
}
