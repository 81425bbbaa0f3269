// How partial files pass from one service to another.
import Foundation
import Testing
import TransferProtocol
import TransferStore

@testable import TransferService

@Suite final class PartialFilesTests {
    private let one: ServiceHome
    private let other: ServiceHome

    init() throws {
        one = try SchedulerBench.newHome()
        other = try SchedulerBench.newHome()
    }

    deinit {
        for home in [one, other] { try? FileManager.default.removeItem(atPath: home.folder) }
    }

    private func task() -> TaskRecord {
        TaskRecord(
            session: 1, configuration: 1, identifier: 1, token: UUID().uuidString, kind: .download,
            lane: "1 h",
            request: RequestRecord(url: "http://h/"), created: Date())
    }

    private func kept(by files: PartialFiles, isLeaving: Bool = false) -> (task: TaskRecord, path: String) {
        let task = task()
        _ = FileManager.default.createFile(
            atPath: files.bodies + "/" + task.body, contents: Data("held".utf8),
            attributes: [.posixPermissions: 0o600])
        #expect(files.keep(task, isLeaving: isLeaving) == isLeaving)
        return (task, files.path(task, isLeaving: isLeaving))
    }

    private func contents(_ files: PartialFiles, _ task: TaskRecord) -> String? {
        FileManager.default.contents(atPath: files.bodies + "/" + task.body).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    @Test func `a file that one service kept becomes the body of another one's task, once`() {
        let (_, path) = kept(by: PartialFiles(bodies: one.bodies, leaving: nil))
        let files = PartialFiles(bodies: other.bodies, leaving: nil)
        let taker = task()
        #expect(files.adopt(path, as: taker))
        #expect(contents(files, taker) == "held")
        #expect(!files.adopt(path, as: task()))
    }

    @Test func `a file that left its service is found where the resume data says`() {
        let files = PartialFiles(bodies: one.bodies, leaving: one.folder)
        let (_, path) = kept(by: files, isLeaving: true)
        #expect(!path.hasPrefix(one.bodies))
        let taker = task()
        #expect(files.adopt(path, as: taker))
        #expect(contents(files, taker) == "held")
    }

    @Test func `the body of a task that runs is nobody else's`() {
        let holder = PartialFiles(bodies: one.bodies, leaving: nil)
        let (running, path) = kept(by: holder)
        holder.open(running)
        #expect(!PartialFiles(bodies: other.bodies, leaving: nil).adopt(path, as: task()))
        #expect(contents(holder, running) == "held")
    }

    @Test func `a path that no service would give to a kept file is not followed`() throws {
        let files = PartialFiles(bodies: other.bodies, leaving: nil)
        let secret = one.folder + "/diary"
        _ = FileManager.default.createFile(
            atPath: secret, contents: Data("mine".utf8), attributes: [.posixPermissions: 0o400])
        let link = one.bodies + "/" + UUID().uuidString
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: secret)
        let (_, path) = kept(by: PartialFiles(bodies: one.bodies, leaving: nil))
        let crooked = one.bodies + "/../bodies/" + URL(fileURLWithPath: path).lastPathComponent
        for path in [secret, link, crooked, "bodies/x", ""] { #expect(!files.adopt(path, as: task())) }
        #expect(FileManager.default.fileExists(atPath: secret))
    }
}
