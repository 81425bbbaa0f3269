// A service for tests: speaks the protocol on a socket in a home of its own, answers as it is told, and
// remembers what it heard. A thread for each connection.
import Foundation
import TransferProtocol

@testable import BackgroundURLSession

final class FakeService: @unchecked Sendable {
    // Unchecked: everything that changes is guarded by `state`.
    enum Answer {
        case result(any Encodable & Sendable)
        case refuse(RPCError)
        case silence
        case hangUp
    }

    struct Heard {
        var connection: Int
        var method: String
        var line: Data

        func read<Message: Decodable>(_ type: Message.Type) throws -> Message {
            try JSONRPC.params(type, in: line)
        }
    }

    let home: ServiceHome
    private let state = NSCondition()
    private var listener: Int32 = -1
    private var connections: [Int32] = []
    private var heard: [Heard] = []
    private var answers: [String: @Sendable (Heard) -> Answer] = [:]
    private var isGateClosed = false

    init() throws {
        home = ServiceHome(folder: TemporaryFolder.path())
        try home.prepare()
        try listen()
    }

    deinit { remove() }

    var access: ServiceAccess {
        ServiceAccess(
            home: home, environment: ["URLSESSIOND_PATH": "/nonexistent/urlsessiond"], clientName: "tests",
            executableFolder: "/nonexistent")
    }

    func configuration(_ identifier: String = "one") -> BackgroundURLSession.URLSessionConfiguration {
        let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
        configuration.access = access
        return configuration
    }

    // MARK: What it says

    /// Answers that method like this from now on.
    func answer(_ method: String, _ answer: @escaping @Sendable (Heard) -> Answer) {
        state.lock()
        answers[method] = answer
        state.unlock()
    }

    /// To the newest connection.
    func tell(_ note: some ServiceNotification) throws {
        try Self.write(JSONRPC.notification(note), to: state.withLock { connections.last ?? -1 })
    }

    /// A line of any kind to the newest connection.
    func tell(line: String) {
        Self.write(Data((line + "\n").utf8), to: state.withLock { connections.last ?? -1 })
    }

    func event(_ sequence: Int64, _ event: TaskEvent, _ task: TaskSnapshot) throws {
        try tell(DeliverEvent(sequence: sequence, event: event, task: task))
    }

    /// Ends the newest connection.
    func hangUp() { shutdown(state.withLock { connections.last ?? -1 }, Int32(SHUT_RDWR)) }

    /// Nobody listens any more, and every connection ends.
    func stop() {
        state.lock()
        // Wakes its thread, which closes it: the number is nobody else's until then.
        if listener >= 0 { shutdown(listener, Int32(SHUT_RDWR)) }
        listener = -1
        unlink(home.socket)
        for connection in connections { shutdown(connection, Int32(SHUT_RDWR)) }
        state.unlock()
    }

    func listen() throws {
        let listener = try UnixSocket.listen(at: home.socket)
        state.withLock { self.listener = listener }
        Thread { [weak self] in
            while true {
                let descriptor = accept(listener, nil, nil)
                // Closed here and nowhere else: closed under this thread, the number could be another test's
                // listener by the time `accept` is called again, and that test's client be answered here.
                guard descriptor >= 0 else { return _ = close(listener) }
                guard let self else {
                    close(descriptor)
                    return _ = close(listener)
                }
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                let number = self.state.withLock {
                    self.connections.append(descriptor)
                    return self.connections.count
                }
                Thread { [weak self] in FakeService.serve(descriptor, number) { self } }.start()
            }
        }.start()
    }

    // MARK: What it heard

    /// Waits until it heard that method so often.
    func wait(for method: String, _ count: Int = 1, seconds: Double = 10) -> [Heard] {
        let deadline = Date(timeIntervalSinceNow: seconds)
        state.lock()
        defer { state.unlock() }
        while true {
            let found = heard.filter { $0.method == method }
            if found.count >= count || !state.wait(until: deadline) { return found }
        }
    }

    var methods: [String] { state.withLock { heard.map(\.method) } }

    /// Stops reading after the message it deals with now, until it is opened.
    func closeGate() { state.withLock { isGateClosed = true } }

    func openGate() {
        state.withLock {
            isGateClosed = false
            state.broadcast()
        }
    }

    /// What has been written to it and not been read.
    func unread() -> String {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(
            state.withLock { connections.last ?? -1 }, &bytes, bytes.count,
            Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }

    /// A file as the service hands it over.
    func handOver(_ name: String, _ contents: Data) throws -> String {
        let path = home.deliveries + "/" + name
        try contents.write(to: URL(fileURLWithPath: path))
        return path
    }

    func remove() {
        stop()
        try? FileManager.default.removeItem(atPath: home.folder)
    }

    // MARK: Its threads

    private static func serve(_ descriptor: Int32, _ number: Int, _ service: () -> FakeService?) {
        var framer = LineFramer(limit: 1 << 20)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0, let service = service() else { break }
            let lines = buffer.withUnsafeBytes { bytes in
                try? framer.take(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            }
            for line in lines ?? [] { service.take(line, descriptor, number) }
            service.state.withLock {
                while service.isGateClosed { service.state.wait() }
            }
        }
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    private func take(_ line: Data, _ descriptor: Int32, _ number: Int) {
        guard let envelope = try? MessageEnvelope(line: line), let method = envelope.method else { return }
        let message = Heard(connection: number, method: method, line: line)
        let answer = state.withLock {
            heard.append(message)
            state.broadcast()
            return answers[method]
        }
        guard let id = envelope.id else { return }
        switch answer?(message) ?? Self.usual(method) {
        case .silence: break
        case .hangUp: shutdown(descriptor, Int32(SHUT_RDWR))
        case .result(let value):
            if let line = try? JSONRPC.reply(value, to: id) { Self.write(line, to: descriptor) }
        case .refuse(let error):
            if let line = try? JSONRPC.failure(error, to: id) { Self.write(line, to: descriptor) }
        }
    }

    private static func usual(_ method: String) -> Answer {
        switch method {
        case Hello.method: .result(Hello.Result(version: 1, product: "fake", pid: getpid()))
        case AttachSession.method: .result(AttachSession.Result(nextTaskIdentifier: 1, waitingEvents: 0))
        case ListTasks.method: .result(ListTasks.Result(tasks: [], next: nil))
        case CancelTask.method: .result(CancelTask.Result(resumeData: nil))
        default: .result(NoContent())
        }
    }

    private static func write(_ line: Data, to descriptor: Int32) {
        _ = line.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }
}

extension NSCondition {
    func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        lock()
        defer { unlock() }
        return try body()
    }
}

extension TaskSnapshot {
    /// A task of session "one" as the fake service has it.
    static func fake(
        _ identifier: Int, _ kind: TaskKind = .download, _ state: TaskState = .running, received: Int64 = 0,
        expected: Int64? = nil, description: String? = nil
    ) -> TaskSnapshot {
        var snapshot = TaskSnapshot(
            key: Int64(identifier), identifier: identifier, client: "tests", session: "one", kind: kind,
            state: state, wasResumed: true, description: description,
            request: RequestRecord(url: "http://127.0.0.1:1/file"))
        snapshot.received = received
        snapshot.expected = expected
        return snapshot
    }
}
