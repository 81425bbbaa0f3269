// A session's tasks come in pages; the next one is asked for while the one before is read.
import Foundation
import Testing
import TransferProtocol

@testable import BackgroundURLSession

@Suite struct ListingTests {
    private func listed(_ service: FakeService) -> [[Int]] {
        let recorder = Recorder()
        let session = URLSession(
            configuration: service.configuration(), delegate: recorder, delegateQueue: nil)
        session.getAllTasks { found in recorder.note("listed \(found.map(\.taskIdentifier))") }
        _ = recorder.wait(for: "listed")
        // Whoever is told twice is told on the same thread, before this is answered.
        try? session.commit()
        let told = recorder.wait(for: "listed").filter { $0.hasPrefix("listed") }
        return told.map { line in
            line.split(whereSeparator: { !$0.isNumber }).compactMap { Int($0) }
        }
    }

    @Test func everyPageIsListedInOrderAndOnce() throws {
        let service = try FakeService()
        service.answer(ListTasks.method) { heard in
            let after = Int((try? heard.read(ListTasks.self))?.after ?? 0)
            let page = (after + 1...after + 3).map { TaskSnapshot.fake($0) }
            return .result(ListTasks.Result(tasks: page, next: after < 9 ? Int64(after + 3) : nil))
        }
        #expect(listed(service) == [Array(1...12)])
        #expect(service.methods.filter { $0 == ListTasks.method }.count >= 4)
    }

    /// What is known is told, and told once, though another page is on its way.
    @Test func aPageThatCannotBeReadEndsTheList() throws {
        struct Unreadable: Codable, Sendable {
            var next = 3
            var tasks = ["no task"]
        }
        let service = try FakeService()
        service.answer(ListTasks.method) { heard in
            let after = (try? heard.read(ListTasks.self))?.after ?? 0
            if after == 1 { return .result(Unreadable()) }
            return .result(ListTasks.Result(tasks: [.fake(Int(after) + 1)], next: after == 0 ? 1 : nil))
        }
        #expect(listed(service) == [[1]])
    }
}
