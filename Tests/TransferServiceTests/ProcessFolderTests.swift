// The folder that a process has for itself: what a killed process left goes, what a living one has stays.
import Foundation
import Testing

@testable import TransferService

@Suite struct ProcessFolderTests {
    @Test func `a folder without an owner is swept, and one with an owner is not`() throws {
        let parent = try SchedulerBench.newHome().folder
        defer { try? FileManager.default.removeItem(atPath: parent) }
        // Nobody has its lock, as after a kill.
        let left = parent + "/urlsession-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: left + "/bodies", withIntermediateDirectories: true)
        // Somebody else's names are no business of ours.
        let strange = parent + "/urlsession-notes"
        try FileManager.default.createDirectory(atPath: strange, withIntermediateDirectories: true)

        let first = try ProcessFolder.make(in: parent)
        let second = try ProcessFolder.make(in: parent)
        #expect(!FileManager.default.fileExists(atPath: left))
        for path in [first.path, second.path, strange] {
            #expect(FileManager.default.fileExists(atPath: path))
        }
        var status = stat()
        #expect(stat(first.path, &status) == 0 && status.st_mode & 0o777 == 0o700)
        ProcessFolder.remove(first.path)
        #expect(!FileManager.default.fileExists(atPath: first.path))
    }
}
