// The record of wishes: what it keeps, what it refuses, and what it survives.

import Foundation
import Testing

@testable import Downloads

struct WishStoreTests {
    /// Reports may come from any thread.
    final class Reports: @unchecked Sendable {
        private let lock = NSLock()
        private var list: [DamagedWish] = []
        func add(_ damaged: DamagedWish) { lock.withLock { list.append(damaged) } }
        var all: [DamagedWish] { lock.withLock { list } }
    }

    let scratch: Scratch
    let reports = Reports()
    let store: WishStore

    init() throws {
        scratch = try Scratch()
        store = try WishStore(folder: scratch.file("wishes"), report: reports.add)
    }

    func wish(_ name: String, session: String = "s", to file: String? = nil, in folder: String? = nil)
        -> Wish
    {
        Wish(
            session: session, name: name, address: "http://h/\(name)",
            destinationFolder: folder ?? scratch.path, destinationName: file)
    }

    var records: [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: scratch.file("wishes"))
        return (names ?? []).filter { $0 != "lock" }.sorted()
    }

    @Test func `a wish is read back as it was saved`() throws {
        let full = Wish(
            session: "s/../x", name: "naïve \u{0}/name", address: "https://h/a%2Fb?c", method: "PUT",
            destinationFolder: "/d", destinationName: "n", replace: true, sha256: "ab",
            resumeData: Data([0, 255, 10]), created: Date(), placing: FileIdentity(device: 1, inode: .max)
        )
        try store.save(full)
        #expect(try store.wish(session: full.session, name: full.name) == full)
        let again = try WishStore(folder: scratch.file("wishes"), report: reports.add)
        #expect(try again.all() == [full])
        #expect(reports.all.isEmpty)
    }

    @Test func `the folder and its files are private`() throws {
        try store.save(wish("a"))
        #expect(try scratch.mode("wishes") == 0o700)
        for name in records + ["lock"] {
            #expect(try scratch.mode("wishes/\(name)") == 0o600)
        }
    }

    @Test func `a folder that was there keeps its mode, and what others keep in it`() throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: scratch.path)
        _ = try scratch.make("notes.json", "{}")
        let store = try WishStore(folder: scratch.path, report: reports.add)
        #expect(try store.all() == [])
        #expect(scratch.text("notes.json") == "{}")
        #expect(try scratch.mode("") == 0o755)
        #expect(reports.all.isEmpty)
    }

    @Test func `session and name together are the key`() throws {
        try store.save(wish("bc", session: "a"))
        try store.save(wish("c", session: "ab"))
        #expect(records.count == 2)
        #expect(try store.wish(session: "a", name: "bc")?.name == "bc")
        #expect(try store.wish(session: "a", name: "c") == nil)
    }

    @Test func `all are listed, oldest first`() throws {
        for (name, time) in [("b", 2.0), ("c", 3.0), ("a", 1.0)] {
            var wish = wish(name)
            wish.created = Date(timeIntervalSince1970: time)
            try store.save(wish)
        }
        #expect(try store.all().map(\.name) == ["a", "b", "c"])
    }

    @Test func `a removed wish is gone, and removing it again is no error`() throws {
        try store.save(wish("a"))
        try store.remove(session: "s", name: "a")
        try store.remove(session: "s", name: "a")
        #expect(try store.wish(session: "s", name: "a") == nil)
        #expect(records.isEmpty)
    }

    @Test func `an update changes what is there and makes nothing`() throws {
        try store.save(wish("a"))
        let changed = try store.update(session: "s", name: "a") { $0.destinationName = "chosen" }
        #expect(changed?.destinationName == "chosen")
        #expect(try store.wish(session: "s", name: "a") == changed)
        #expect(try store.update(session: "s", name: "none") { $0.replace = true } == nil)
        #expect(records.count == 1)
    }

    @Test func `an update cannot give a record another key`() throws {
        try store.save(wish("a"))
        #expect(throws: WishStoreError.keyChanged(session: "s", name: "a")) {
            try store.update(session: "s", name: "a") { $0.name = "b" }
        }
        #expect(try store.all().map(\.name) == ["a"])
    }

    @Test func `a claim is made once and then exists`() throws {
        let first = wish("a", to: "f")
        #expect(try store.claim(first) == .made)
        var second = first
        second.created = first.created + 1
        #expect(try store.claim(second) == .exists(first))
        #expect(try store.all() == [first])
    }

    @Test func `a name cannot stand for two addresses`() throws {
        let first = wish("a")
        _ = try store.claim(first)
        var other = first
        other.address = "http://h/other"
        #expect(throws: WishStoreError.differentAddress(existing: first)) { try store.claim(other) }
        #expect(try store.claim(wish("a", session: "t", to: "g")) == .made)
    }

    @Test func `two wishes cannot have one destination, however its folder is spelt`() throws {
        let first = wish("a", to: "f")
        _ = try store.claim(first)
        symlink(scratch.path, scratch.file("link"))
        for folder in [scratch.path, scratch.path + "/", scratch.file("link"), scratch.file(".")] {
            let rival = wish("b", session: "t", to: "f", in: folder)
            #expect(throws: WishStoreError.destinationTaken(by: first)) { try store.claim(rival) }
        }
        #expect(try store.claim(wish("b", to: "g")) == .made)
        // Where the server is to suggest a name, the address's last part is the likely one.
        let unnamed = wish("c")
        #expect(try store.claim(unnamed) == .made)
        #expect(throws: WishStoreError.destinationTaken(by: unnamed)) { try store.claim(wish("d", to: "c")) }
        #expect(try store.wishes(forDestination: scratch.path, name: "f") == [first])
        #expect(try store.wishes(forDestination: scratch.path, name: "h").isEmpty)
    }

    @Test func `a wish that nobody waits for stands in nobody's way`() throws {
        let stale = wish("a", to: "f")
        _ = try store.claim(stale)
        var other = wish("a", to: "f")
        other.address = "http://h/other"
        #expect(try store.claim(other) { _ in false } == .made)
        #expect(try store.claim(wish("b", to: "f")) { $0.name != "a" } == .made)
        #expect(try store.wish(session: "s", name: "a") == other)
    }

    @Test func `records are looked through for a name in every spelling`() throws {
        for name in ["a \"quoted\" name", "back\\slash", "ü/é", "tab\t", "\u{1F980}", "destinationName"] {
            let first = wish("first \(name)", to: name)
            #expect(try store.claim(first) == .made)
            #expect(throws: WishStoreError.destinationTaken(by: first)) {
                try store.claim(wish("second", to: name))
            }
        }
    }

    @Test func `what is known only when nothing is in the way is recorded with the wish`() throws {
        #expect(
            try store.claim(wish("a", to: "f")) { _ in
                true
            } completing: {
                $0.tasks = [7]
            } == .made)
        let recorded = try #require(try store.wish(session: "s", name: "a"))
        #expect(recorded.tasks == [7])
        var calls = 0
        #expect(try store.claim(wish("a", to: "f"), completing: { _ in calls += 1 }) == .exists(recorded))
        #expect(throws: WishStoreError.destinationTaken(by: recorded)) {
            try store.claim(wish("b", to: "f"), completing: { _ in calls += 1 })
        }
        #expect(calls == 0)
    }

    @Test func `only those in the way are asked about`() throws {
        for name in ["a", "b", "c"] { _ = try store.claim(wish(name)) }
        var asked: [String] = []
        _ = try store.claim(wish("d", to: "b")) { other in
            asked.append(other.name)
            return false
        }
        #expect(asked == ["b"])
    }

    @Test func `a session's finish commands are found`() throws {
        try store.save(wish("a"))
        #expect(try !store.hasFinishCommand(session: "s"))
        var finishing = wish("onFinish")
        try store.save(finishing)
        #expect(try !store.hasFinishCommand(session: "s"))
        finishing.onFinish = FinishCommand(arguments: ["true"], folder: "/")
        try store.save(finishing)
        #expect(try store.hasFinishCommand(session: "s"))
        #expect(try !store.hasFinishCommand(session: "t"))
    }

    @Test(arguments: ["", "{", "[]", "{\"session\":\"s\"}", "\u{0}\u{0}\u{0}"])
    func `a damaged record is set aside, reported once, and hurts no other`(text: String) throws {
        try store.save(wish("a"))
        let record = try #require(records.first)
        try store.save(wish("b"))
        _ = try scratch.make("wishes/\(record)", text)
        #expect(try store.all().map(\.name) == ["b"])
        #expect(try store.wish(session: "s", name: "a") == nil)
        let damaged = try #require(reports.all.first)
        #expect(reports.all.count == 1)
        #expect(damaged.setAside.hasSuffix(".damaged"))
        #expect(try String(contentsOfFile: damaged.setAside, encoding: .utf8) == text)
    }

    @Test func `a second damaged record does not replace the first`() throws {
        for text in ["one", "two"] {
            try store.save(wish("a"))
            let record = try #require(records.first { $0.hasSuffix(".json") })
            _ = try scratch.make("wishes/\(record)", text)
            #expect(try store.claim(wish("a")) == .made)
            try store.remove(session: "s", name: "a")
        }
        let kept = reports.all.map { try? String(contentsOfFile: $0.setAside, encoding: .utf8) }
        #expect(kept == ["one", "two"])
    }

    @Test func `a record under another's name is damaged`() throws {
        try store.save(wish("a"))
        let record = try #require(records.first)
        try FileManager.default.moveItem(
            atPath: scratch.file("wishes/\(record)"),
            toPath: scratch.file("wishes/\(String(repeating: "0", count: 32)).json"))
        #expect(try store.all().isEmpty)
        #expect(reports.all.map(\.reason) == ["it belongs to another name"])
    }

    @Test func `what a crash left half-written is no record and in nobody's way`() throws {
        try store.save(wish("a"))
        let record = try #require(records.first)
        let passing = "wishes/" + record.replacingOccurrences(of: ".json", with: ".new")
        _ = try scratch.make(passing, "{\"sess")
        #expect(try store.all().count == 1)
        try store.save(wish("a", to: "f"))
        #expect(try store.all().map(\.destinationName) == ["f"])
        #expect(records == [record] && reports.all.isEmpty)
    }

    @Test func `records of today still open`() throws {
        let golden = """
            {"address":"http://h/a","created":0,"method":"GET","name":"a","replace":false,
             "session":"s","later":"unknown members are ignored"}
            """
        try store.save(wish("a"))
        _ = try scratch.make("wishes/\(try #require(records.first))", golden)
        let expected = Wish(
            session: "s", name: "a", address: "http://h/a",
            created: Date(timeIntervalSinceReferenceDate: 0))
        #expect(try store.wish(session: "s", name: "a") == expected)
    }

    @Test func `changes from many threads are all kept`() async throws {
        var counted = wish("a")
        counted.resumeData = Data()
        try store.save(counted)
        let store = store
        await withThrowingTaskGroup(of: Void.self) { group in
            for number in UInt8(0)..<64 {
                group.addTask {
                    try store.update(session: "s", name: "a") { $0.resumeData?.append(number) }
                }
            }
        }
        let bytes = try store.wish(session: "s", name: "a")?.resumeData
        #expect(bytes?.sorted() == Array(0..<64))
    }

    @Test func `of many claims on one destination one is made`() async throws {
        let store = store
        let rivals = (0..<32).map { wish("\($0)", to: "f") }
        let made = await withTaskGroup(of: Bool.self) { group in
            for rival in rivals { group.addTask { (try? store.claim(rival)) == .made } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(made == 1)
        #expect(try store.all().count == 1)
    }

    @Test func `another process's lock is waited for`() async throws {
        let store = store
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/usr/bin/flock")
        shell.arguments = [scratch.file("wishes/lock"), "sh", "-c", "echo held; read line"]
        let (input, output) = (Pipe(), Pipe())
        shell.standardInput = input
        shell.standardOutput = output
        try store.save(wish("a"))
        try shell.run()
        #expect(output.fileHandleForReading.availableData == Data("held\n".utf8))
        let waiting = Task.detached { try store.all().count }
        // The lock is seen to be held by another way of asking for it.
        let file = try OpenFile(scratch.file("wishes/lock"), O_RDWR)
        #expect(flock(file.descriptor, LOCK_EX | LOCK_NB) != 0)
        input.fileHandleForWriting.write(Data("\n".utf8))
        #expect(try await waiting.value == 1)
        shell.waitUntilExit()
    }

    @Test func `a folder that cannot be made is named`() throws {
        let inFile = try scratch.make("file", "x") + "/wishes"
        #expect(
            throws: WishStoreError.unavailable(errno: ENOTDIR, attempted: "make the folder \(inFile)")
        ) {
            try WishStore(folder: inFile, report: reports.add)
        }
    }
}
