// Sockets by path, and who is at the other end; locks.
import Foundation
import Testing

@testable import TransferProtocol

@Suite struct SocketTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    /// A folder inside the test's so that a file in it has a path of more than 107 bytes.
    func deepFolder() throws -> String {
        let deep = folder.path + "/" + String(repeating: "d", count: 120) + "/ü %41"
        try FileManager.default.createDirectory(atPath: deep, withIntermediateDirectories: true)
        return deep
    }

    func expectConversation(at path: String) throws {
        let listener = try UnixSocket.listen(at: path)
        defer { close(listener) }
        let client = try UnixSocket.connect(to: path)
        defer { close(client) }
        let server = accept(listener, nil, nil)
        defer { close(server) }
        #expect(write(client, "hi", 2) == 2)
        var buffer = [UInt8](repeating: 0, count: 8)
        #expect(read(server, &buffer, 8) == 2)
        for end in [client, server] {
            let peer = try #require(UnixSocket.peer(of: end))
            #expect(peer.uid == geteuid())
            #expect(peer.pid == getpid())
        }
        for end in [listener, client] { #expect(fcntl(end, F_GETFD) & FD_CLOEXEC != 0) }
    }

    @Test func `two ends meet and know each other`() throws {
        try expectConversation(at: folder.path + "/socket")
        #expect(UnixSocket.peer(of: -1) == nil)
    }

    @Test func `a path longer than a socket address is reached all the same`() throws {
        let path = try deepFolder() + "/socket"
        #expect(path.utf8.count > 107)
        try expectConversation(at: path)
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test(arguments: [106, 107, 108, 109]) func `the longest address and its neighbours work`(length: Int)
        throws
    {
        let path = folder.path + "/"
        try expectConversation(at: path + String(repeating: "s", count: length - path.utf8.count))
    }

    @Test func `a name too long even for the detour is an error, not another name`() throws {
        let path = try deepFolder() + "/" + String(repeating: "s", count: 100)
        #expect(throws: SystemCallError("bind", path, code: ENAMETOOLONG)) { try UnixSocket.listen(at: path) }
    }

    @Test func `nobody listening is told apart by its errno, wherever the path`() throws {
        for path in [folder.path + "/socket", try deepFolder() + "/socket"] {
            #expect(throws: SystemCallError("connect to", path, code: ENOENT)) {
                try UnixSocket.connect(to: path)
            }
            close(try UnixSocket.listen(at: path))
            #expect(throws: SystemCallError("connect to", path, code: ECONNREFUSED)) {
                try UnixSocket.connect(to: path)
            }
            #expect(throws: SystemCallError("bind", path, code: EADDRINUSE)) {
                try UnixSocket.listen(at: path)
            }
        }
        let nowhere = try deepFolder() + "/missing/socket"
        #expect(throws: SystemCallError("connect to", nowhere, code: ENOENT)) {
            try UnixSocket.connect(to: nowhere)
        }
    }
}

@Suite struct FileLockTests {
    let folder: Folder
    var path: String { folder.path + "/lock" }

    init() throws { folder = try Folder() }

    /// Whether the `flock` program gets the lock.
    func anotherProcessGetsIt() throws -> Bool {
        let program = try Process.run(
            URL(fileURLWithPath: "/usr/bin/flock"), arguments: ["-n", path, "true"])
        program.waitUntilExit()
        return program.terminationStatus == 0
    }

    @Test func `one holder at a time, in this process and among processes`() throws {
        let lock = try #require(try FileLock(path: path, wait: false))
        #expect(try FileLock(path: path, wait: false) == nil)
        #expect(try !anotherProcessGetsIt())
        #expect(try folder.mode(path) == 0o600)
        lock.release()
        lock.release()
        #expect(try anotherProcessGetsIt())
        do { _ = try FileLock(path: path, wait: false) }
        #expect(try anotherProcessGetsIt(), "it goes with its object")
    }

    @Test func `waiting ends when the other process dies`() throws {
        let holder = Process()
        holder.executableURL = URL(fileURLWithPath: "/usr/bin/flock")
        holder.arguments = ["--no-fork", path, "sh", "-c", "echo held; exec sleep 60"]
        let output = Pipe()
        holder.standardOutput = output
        try holder.run()
        #expect(output.fileHandleForReading.availableData == Data("held\n".utf8))
        #expect(try FileLock(path: path, wait: false) == nil)
        kill(holder.processIdentifier, SIGKILL)
        #expect(try FileLock(path: path, wait: true) != nil)
    }

    @Test func `a lock that cannot be opened says why`() throws {
        let missing = folder.path + "/none/lock"
        #expect(throws: SystemCallError("open the lock", missing, code: ENOENT)) {
            try FileLock(path: missing, wait: false)
        }
        symlink("/dev/null", path)
        #expect(throws: SystemCallError("open the lock", path, code: ELOOP)) {
            try FileLock(path: path, wait: false)
        }
    }
}
