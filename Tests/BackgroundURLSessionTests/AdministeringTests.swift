// The service as a program for people sees it.
import Foundation
import Testing
import TransferProtocol

@testable import BackgroundURLSession

@Suite struct AdministeringTests {
    @Test func tasksAreListedPageByPageInValuesOfOurOwn() throws {
        let service = try FakeService()
        service.answer(AdminTasks.method) { heard in
            let after = (try? heard.read(AdminTasks.self))?.after ?? 0
            var waiting = TaskSnapshot.fake(2, .download, .waiting, received: 5, description: "b")
            waiting.wait = WaitNote(reason: "connection refused", attempt: 4, until: nil)
            waiting.response = ResponseRecord(url: "http://127.0.0.1:1/file", status: 206)
            return after == 0
                ? .result(ListTasks.Result(tasks: [.fake(1, description: "a")], next: 1))
                : .result(ListTasks.Result(tasks: [waiting], next: nil))
        }
        let tasks = try ServiceDesk(access: service.access).tasks(client: nil, session: "one")
        #expect(tasks.map(\.name) == ["a", "b"])
        #expect(tasks.last?.state == .waiting)
        #expect(tasks.last?.wait?.reason == "connection refused")
        #expect(tasks.last?.wait?.attempt == 4)
        #expect(tasks.last?.httpStatus == 206)
        #expect(tasks.last?.received == 5)
        #expect(!service.methods.contains(AttachSession.method))
    }

    /// An older service answers with all of them.
    @Test func tasksOfOneNameAreAskedForAndSifted() throws {
        let service = try FakeService()
        service.answer(AdminTasks.method) { heard in
            let asked = (try? heard.read(AdminTasks.self))?.description
            return .result(
                ListTasks.Result(
                    tasks: asked == "b" ? [.fake(1, description: "a"), .fake(2, description: "b")] : [],
                    next: nil))
        }
        let tasks = try ServiceDesk(access: service.access).tasks(client: nil, session: nil, named: "b")
        #expect(tasks.map(\.id) == [2])
    }

    @Test func aProgramIsNamedByItsFile() {
        let program = Executable(path: "/opt/some app/bin/tool (deleted)")
        #expect(program.name == "tool")
        #expect(program.folder == "/opt/some app/bin")
        #expect(Executable(path: "/tool").folder == "/")
        #expect(Executable(path: "tool").name == "tool")
        #expect(Executable.current.folder == Bundle.main.executableURL?.deletingLastPathComponent().path)
    }

    @Test func sessionsStatusAndDiscardAreAsked() throws {
        let service = try FakeService()
        service.answer(AdminSessions.method) { _ in
            .result(
                AdminSessions.Result(sessions: [
                    SessionSummary(client: "c", identifier: "s", owner: 7, pending: 1, undelivered: 2)
                ]))
        }
        service.answer(AdminService.method) { _ in
            .result(
                AdminService.Result(
                    pid: 9, product: "1", home: "/h", started: Date(), connections: 1, running: 2, queued: 3,
                    waiting: 4, undelivered: 5))
        }
        service.answer(AdminDiscard.method) { _ in .refuse(.refused(.noSuchTask, "There is no task 3.")) }
        let desk = ServiceDesk(access: service.access)
        #expect(try desk.sessions().first?.owner == 7)
        #expect(try desk.status()?.waiting == 4)
        #expect(throws: ServiceError.refused(message: "There is no task 3.")) { try desk.discard(key: 3) }
    }

    @Test func aWishesFolderIsPrivate() throws {
        let service = try FakeService()
        let folder = try ServiceDesk(access: service.access).wishesFolder(client: "a/b")
        #expect(folder == service.home.wishes + "/a%2Fb")
        var status = stat()
        #expect(stat(folder, &status) == 0 && status.st_mode & 0o777 == 0o700)
    }
}
