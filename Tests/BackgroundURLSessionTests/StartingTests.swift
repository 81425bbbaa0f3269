// Finding and starting the service, and what a person reads when that fails.
import Foundation
import Testing
import TransferProtocol

@testable import BackgroundURLSession

@Suite struct StartingTests {
    /// A home of the test's own, and an executable there.
    private func world(_ program: String? = nil, mode: mode_t = 0o755) throws -> ServiceAccess {
        let folder = TemporaryFolder.path()
        let home = ServiceHome(folder: folder)
        try home.prepare()
        let path = folder + "/urlsessiond"
        if let program {
            try Data(program.utf8).write(to: URL(fileURLWithPath: path))
            chmod(path, mode)
        }
        return ServiceAccess(
            home: home, environment: ["URLSESSIOND_PATH": path, "SECRET": "x"], clientName: "tests",
            executableFolder: "/nonexistent")
    }

    private func start(_ access: ServiceAccess) throws {
        defer { try? FileManager.default.removeItem(atPath: access.home.folder) }
        _ = try ServiceGreeting(access: access, client: "tests").connect(starting: true)
    }

    @Test func aMissingServiceSaysWhereItLooked() throws {
        var access = try world()
        access.environment = ["PATH": "/nonexistent/a:relative:/nonexistent/b"]
        access.executableFolder = "/nonexistent/bin"
        #expect(
            throws: ServiceError.serviceNotFound(searched: [
                "/nonexistent/bin/urlsessiond", "/nonexistent/libexec/urlsessiond",
                "/nonexistent/a/urlsessiond", "/nonexistent/b/urlsessiond",
            ])
        ) { try start(access) }
    }

    @Test func aFileThatIsNoProgramSaysWhy() throws {
        let access = try world("no program")
        let path = access.home.folder + "/urlsessiond"
        #expect(throws: ServiceError.serviceNotStartable(path: path, code: ENOEXEC)) { try start(access) }
    }

    @Test func aProgramThatMayNotBeStartedSaysWhyAndLeavesNoSocket() throws {
        let access = try world("#!/bin/sh\n", mode: 0o644)
        let path = access.home.folder + "/urlsessiond"
        #expect(throws: ServiceError.serviceNotStartable(path: path, code: EACCES)) {
            do {
                _ = try ServiceGreeting(access: access, client: "tests").connect(starting: true)
            } catch {
                #expect(!FileManager.default.fileExists(atPath: access.home.socket))
                throw error
            }
        }
        try FileManager.default.removeItem(atPath: access.home.folder)
    }

    @Test(arguments: ["file", "folder", "link"]) func somethingElseInTheSocketsPlaceIsNamedAndKept(
        _ kind: String
    ) throws {
        let access = try world("#!/bin/sh\n")
        let socket = access.home.socket
        switch kind {
        case "file": try Data("precious".utf8).write(to: URL(fileURLWithPath: socket))
        case "folder": mkdir(socket, 0o700)
        default: symlink("/nonexistent/target", socket)
        }
        #expect(throws: ServiceError.notASocket(path: socket)) {
            _ = try ServiceGreeting(access: access, client: "tests").connect(starting: true)
        }
        var status = stat()
        #expect(lstat(socket, &status) == 0)
        try FileManager.default.removeItem(atPath: access.home.folder)
    }

    @Test func aServiceThatEndsAtOnceIsNotStartedForEver() throws {
        let access = try world("#!/bin/sh\necho born >> born\nexit 1\n")
        defer { try? FileManager.default.removeItem(atPath: access.home.folder) }
        #expect(throws: ServiceError.leftAtOnce(log: access.home.log)) {
            _ = try ServiceGreeting(access: access, client: "tests").connect(starting: true)
        }
        let born = try String(contentsOfFile: access.home.folder + "/born", encoding: .utf8)
        #expect(born.split(separator: "\n").count == 3)
    }

    private static let hasPython = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .contains { FileManager.default.isExecutableFile(atPath: $0 + "/python3") }

    @Test(.enabled(if: hasPython))
    func tenClientsAtOnceStartOneCleanServiceAndReplaceAStaleSocket() async throws {
        var access = try world(
            """
            #!/usr/bin/env python3
            import json, os, socket, sys, threading
            open("born", "a").write(" ".join(sys.argv[1:]) + " " + os.environ.get("SECRET", "clean") + "\\n")
            listener = socket.socket(fileno=3)
            listener.settimeout(10)
            def serve(connection):
                for line in connection.makefile():
                    message = json.loads(line)
                    result = {"version": 1, "product": "python", "pid": os.getpid()}
                    reply = {"jsonrpc": "2.0", "id": message["id"], "result": result}
                    connection.sendall((json.dumps(reply) + "\\n").encode())
                    if message["method"] == "shutdown": os._exit(0)
            while True:
                threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
            """)
        defer { try? FileManager.default.removeItem(atPath: access.home.folder) }
        for name in ["PATH", "HOME"] { access.environment[name] = ProcessInfo.processInfo.environment[name] }
        close(try UnixSocket.listen(at: access.home.socket))
        let shared = access
        let pids = try await withThrowingTaskGroup(of: Int32?.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    try ServiceGreeting(access: shared, client: "tests").connect(starting: true)?.service.pid
                }
            }
            return try await group.reduce(into: Set<Int32?>()) { $0.insert($1) }
        }
        #expect(pids.count == 1)
        let born = try String(contentsOfFile: access.home.folder + "/born", encoding: .utf8)
        #expect(born == "--listen-fd 3 clean\n")
        #expect(try ServiceDesk(access: access).shutdown())
        #expect(try ServiceDesk(access: access).shutdown() == false)
        #expect(try ServiceDesk(access: access).status() == nil)
    }

    @Test func anOlderServiceIsAskedToLeave() throws {
        let service = try FakeService()
        service.answer(Hello.method) { heard in
            heard.connection == 1
                ? .refuse(.refused(.versionMismatch, "older", version: 0))
                : .result(Hello.Result(version: 1, product: "new", pid: 1))
        }
        service.answer(Shutdown.method) { _ in .hangUp }
        let opened = try ServiceGreeting(access: service.access, client: "tests").connect(starting: true)
        #expect(opened?.service.product == "new")
        #expect(service.methods == ["hello", "shutdown", "hello"])
    }

    @Test func aNewerServiceSaysThatTheClientIsTooOld() throws {
        let service = try FakeService()
        service.answer(Hello.method) { _ in .refuse(.refused(.versionMismatch, "newer", version: 9)) }
        #expect(throws: ServiceError.clientTooOld(clientVersion: 1, serviceVersion: 9)) {
            _ = try ServiceGreeting(access: service.access, client: "tests").connect(starting: true)
        }
        #expect(service.methods == ["hello"])
    }

    @Test func aClientCutOffBeforeHelloConnectsAgain() throws {
        let service = try FakeService()
        service.answer(Hello.method) { heard in
            heard.connection < 8 ? .hangUp : .result(Hello.Result(version: 1, product: "fake", pid: 1))
        }
        #expect(try ServiceGreeting(access: service.access, client: "tests").connect(starting: true) != nil)
        #expect(service.methods.count == 8)
    }

    @Test func aPathLongerThanASocketAddressWorks() throws {
        let folder = TemporaryFolder.path() + "/" + String(repeating: "long/", count: 30)
        var access = try world()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        access.home = ServiceHome(folder: folder + "home")
        try access.home.prepare()
        let listener = try UnixSocket.listen(at: access.home.socket)
        defer { close(listener) }
        let opened = try ServiceStarter(access: access).open(starting: false)
        #expect(opened != nil)
        if let opened { close(opened.descriptor) }
    }
}
