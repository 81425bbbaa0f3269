// Files put in place, on one file system and across two.

import Foundation
import Testing

@testable import Downloads

let hasTwoFileSystems =
    FileIdentity(path: "/dev/shm").map { $0.device != FileIdentity(path: "/tmp")?.device } ?? false

struct FilePlacementTests {
    struct Refused: Error {}

    let here: Scratch
    let expectedMode = Int(UserMask.newFileMode())

    init() throws {
        here = try Scratch()
    }

    @Test func `a file is moved and gets the mode the umask allows`() throws {
        let source = try here.make("body", "book")
        let identity = FileIdentity(path: source)
        var announced: FileIdentity?
        try FilePlacement.place(source, at: here.file("out")) { announced = $0 }
        #expect(here.names == ["out"])
        #expect(here.text("out") == "book")
        #expect(try here.mode("out") == expectedMode)
        #expect(announced == identity && FileIdentity(path: here.file("out")) == identity)
    }

    @Test(.enabled(if: hasTwoFileSystems)) func `a file is copied to another file system`() throws {
        let there = try Scratch(in: "/dev/shm")
        let text = String(repeating: "0123456789", count: 300_000)
        let source = try here.make("body", text)
        var announced: FileIdentity?
        try FilePlacement.place(source, at: there.file("out")) { announced = $0 }
        #expect(there.text("out") == text)
        #expect(try there.mode("out") == expectedMode)
        #expect(here.names.isEmpty && there.names == ["out"])
        #expect(announced == FileIdentity(path: there.file("out")))
    }

    @Test(.enabled(if: hasTwoFileSystems), arguments: [("/tmp", "/dev/shm"), ("/dev/shm", "/tmp")])
    func `an existing file on another file system is replaced only when asked`(
        from: String, to: String
    ) throws {
        let (here, there) = (try Scratch(in: from), try Scratch(in: to))
        let source = try here.make("body", "new")
        let target = try there.make("out", "old")
        #expect(throws: PlacementError.destinationExists(target)) {
            try FilePlacement.place(source, at: target)
        }
        #expect(there.text("out") == "old" && here.text("body") == "new" && there.names == ["out"])
        try FilePlacement.place(source, at: target, replace: true)
        #expect(there.text("out") == "new" && there.names == ["out"] && here.names.isEmpty)
    }

    @Test(arguments: hasTwoFileSystems ? ["/tmp", "/dev/shm"] : ["/tmp"])
    func `a file that appears at the last moment is not overwritten`(parent: String) throws {
        let there = try Scratch(in: parent)
        let source = try here.make("body", "mine")
        #expect(throws: PlacementError.destinationExists(there.file("out"))) {
            try FilePlacement.place(source, at: there.file("out")) { _ in
                _ = try there.make("out", "theirs")
            }
        }
        #expect(there.text("out") == "theirs" && there.names == ["out"])
        #expect(here.text("body") == "mine")
    }

    @Test(arguments: hasTwoFileSystems ? ["/tmp", "/dev/shm"] : ["/tmp"])
    func `nothing is placed when the announcement fails`(parent: String) throws {
        let there = try Scratch(in: parent)
        let source = try here.make("body", "book")
        #expect(throws: Refused.self) {
            try FilePlacement.place(source, at: there.file("out")) { _ in throw Refused() }
        }
        #expect(there.names.isEmpty && here.text("body") == "book")
    }

    @Test func `an existing file is replaced only when asked`() throws {
        let source = try here.make("body", "new")
        let target = try here.make("out", "old")
        #expect(throws: PlacementError.destinationExists(target)) {
            try FilePlacement.place(source, at: target)
        }
        #expect(here.text("out") == "old")
        try FilePlacement.place(source, at: target, replace: true)
        #expect(here.text("out") == "new" && here.names == ["out"])
    }

    @Test func `a link that leads nowhere is a file that exists`() throws {
        let source = try here.make("body", "new")
        symlink("/nowhere/at/all", here.file("out"))
        #expect(throws: PlacementError.destinationExists(here.file("out"))) {
            try FilePlacement.place(source, at: here.file("out"))
        }
    }

    @Test func `the check refuses what placing would refuse`() throws {
        _ = try here.make("file", "x")
        mkdir(here.file("sub"), 0o700)
        symlink(here.file("sub"), here.file("link"))
        let wrong: [(String, PlacementError)] = [
            (here.file("none/out"), .folderMissing(here.file("none/out"))),
            (here.file("file/out"), .folderMissing(here.file("file/out"))),
            (here.file("file"), .destinationExists(here.file("file"))),
            (here.file("sub"), .destinationIsFolder(here.file("sub"))),
            (here.file("sub/"), .destinationIsFolder(here.file("sub/"))),
            (here.file("link"), .destinationIsFolder(here.file("link"))),
            (here.file("sub/.."), .destinationIsFolder(here.file("sub/.."))),
        ]
        for (path, expected) in wrong {
            #expect(throws: expected) { try FilePlacement.checkDestination(path, replace: false) }
        }
        #expect(throws: PlacementError.destinationIsFolder(here.file("sub"))) {
            try FilePlacement.checkDestination(here.file("sub"), replace: true)
        }
        #expect(throws: Never.self) {
            try FilePlacement.checkDestination(here.file("new"), replace: false)
            try FilePlacement.checkDestination(here.file("file"), replace: true)
        }
    }

    @Test func `a name that is too long is told as such`() {
        let path = here.file(String(repeating: "n", count: 256))
        #expect(throws: PlacementError.other(errno: ENAMETOOLONG, attempted: "look at \(path)")) {
            try FilePlacement.checkDestination(path, replace: false)
        }
    }

    @Test(.enabled(if: geteuid() != 0, "root may write anywhere"))
    func `a folder that may not be written to is refused`() throws {
        mkdir(here.file("closed"), 0o500)
        #expect(throws: PlacementError.notWritable(here.file("closed/out"))) {
            try FilePlacement.checkDestination(here.file("closed/out"), replace: false)
        }
    }

    @Test func `a source that is gone is not blamed on the destination`() {
        let source = here.file("gone")
        #expect(throws: PlacementError.other(errno: ENOENT, attempted: "open \(source)")) {
            try FilePlacement.place(source, at: here.file("out"))
        }
        #expect(here.names.isEmpty)
    }

    @Test(arguments: [
        (ENOENT, PlacementError.folderMissing("/d/f")), (ENOTDIR, .folderMissing("/d/f")),
        (EACCES, .notWritable("/d/f")), (EROFS, .notWritable("/d/f")), (EPERM, .notWritable("/d/f")),
        (EEXIST, .destinationExists("/d/f")), (EISDIR, .destinationIsFolder("/d/f")),
        (ENOSPC, .noSpace("/d/f")), (EDQUOT, .noSpace("/d/f")),
        (EIO, .other(errno: EIO, attempted: "try")),
    ])
    func `each reason of the kernel has its case and names the path`(
        code: Int32, expected: PlacementError
    ) {
        let error = PlacementError(SystemFailure("try", code: code), writing: "/d/f")
        #expect(error == expected)
        #expect(error.description.hasPrefix(code == EIO ? "Cannot try: " : "Cannot save /d/f: "))
    }

    @Test func `a full disk is told as such`() throws {
        let source = try OpenFile("/dev/full", O_WRONLY)
        #expect(throws: SystemFailure("write /dev/full", code: ENOSPC)) {
            try source.write([1, 2, 3])
        }
    }

    @Test func `each way of renaming exclusively keeps what is there`() throws {
        for way in [ExclusiveRename.byRename, ExclusiveRename.byLink, ExclusiveRename.byPlaceholder] {
            let scratch = try Scratch()
            let source = try scratch.make("from", "mine")
            let taken = try scratch.make("taken", "theirs")
            #expect(way(source, taken) == EEXIST)
            #expect(scratch.text("taken") == "theirs" && scratch.text("from") == "mine")
            #expect(way(source, scratch.file("to")) == nil)
            #expect(scratch.names == ["taken", "to"] && scratch.text("to") == "mine")
            #expect(way(source, scratch.file("third")) == ENOENT)
            #expect(scratch.names == ["taken", "to"])
        }
    }

    @Test func `one of many racers wins and no other is overwritten`() async throws {
        let scratch = here
        let sources = try (0..<16).map { try scratch.make("body\($0)", "\($0)") }
        let target = scratch.file("out")
        let wins = await withTaskGroup(of: Bool.self) { group in
            for source in sources {
                group.addTask { (try? FilePlacement.place(source, at: target)) != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(wins == 1)
        #expect(scratch.names.count == 16)
    }

    @Test func `two names of one file are the same file`() throws {
        let first = try here.make("a", "x")
        link(first, here.file("b"))
        symlink(first, here.file("c"))
        #expect(FilePlacement.isSameFile(first, here.file("b")))
        #expect(FilePlacement.isSameFile(first, here.file("c")))
        #expect(!FilePlacement.isSameFile(first, try here.make("d", "x")))
        #expect(!FilePlacement.isSameFile(here.file("none"), here.file("none")))
    }

    @Test func `the umask is read from the process's status`() {
        #expect(UserMask.mask(inStatus: "Name:\tx\nUmask:\t0027\nState:\tR\n") == 0o027)
        #expect(UserMask.mask(inStatus: "Name:\tx\n") == nil)
    }

    @Test(arguments: [
        ("a", ".", "a"), ("/a", "/", "a"), ("/a/b", "/a", "b"), ("a/b/", "a/b", ""),
        ("d/\u{301}x", "d", "\u{301}x"),
    ])
    func `a path is split at its last slash`(path: String, folder: String, name: String) {
        let destination = DestinationPath(path)
        #expect(destination.folder == folder && destination.name == name)
    }
}
