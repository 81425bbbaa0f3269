// Process-bound sessions with a real server: delegates, completion handlers and async calls.
import Foundation
import Testing

@testable import BackgroundURLSession

@Suite struct ProcessBoundTests {
    @Test func aDataTaskHearsTheHeadTheBodyAndTheEndInThisOrder() async {
        let bytes = sampleBytes(1_000_000)
        let server = RawServer(bytes: bytes)
        let world = BoundWorld()
        world.session.dataTask(with: server.address()).resume()
        #expect(await world.recorder.wait(for: "complete") == ["response 200", "data", "complete nil"])
        #expect(world.recorder.received == bytes)
    }

    @Test func aDownloadEndsInAFile() async {
        let bytes = sampleBytes(300_000)
        let server = RawServer(bytes: bytes)
        let world = BoundWorld(.default)
        world.session.downloadTask(with: server.address()).resume()
        #expect(await world.recorder.wait(for: "complete") == ["file 300000", "complete nil"])
        #expect(world.recorder.received == bytes)
    }

    @Test func anUploadSendsItsDataAndItsAnswerComesAsAResponseAndData() async {
        let server = RawServer.echo()
        let world = BoundWorld()
        let task = world.session.uploadTask(
            with: URLRequest(url: server.address("/in")), from: Data("abc".utf8))
        task.resume()
        let heard = await world.recorder.wait(for: "complete")
        #expect(heard == ["response 200", "data", "complete nil"])
        #expect(String(decoding: world.recorder.received, as: UTF8.self) == "POST /in HTTP/1.1\nabc")
        #expect(task.countOfBytesSent == 3)
    }

    @Test func aBodyOfTheRequestIsSentWithADataTask() async throws {
        let server = RawServer.echo()
        var request = URLRequest(url: server.address())
        request.httpMethod = "PUT"
        request.httpBody = Data("body".utf8)
        let (data, response) = try await BoundWorld().session.data(for: request)
        #expect(String(decoding: data, as: UTF8.self) == "PUT / HTTP/1.1\nbody")
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
    }

    @Test func aStreamIsReadAndSent() async {
        let server = RawServer.echo()
        let world = BoundWorld()
        world.recorder.bodyStream = { InputStream(data: Data("streamed".utf8)) }
        var request = URLRequest(url: server.address())
        request.httpMethod = "POST"
        world.session.uploadTask(withStreamedRequest: request).resume()
        #expect(
            await world.recorder.wait(for: "complete") == [
                "stream wanted", "response 200", "data", "complete nil",
            ])
        #expect(String(decoding: world.recorder.received, as: UTF8.self) == "POST / HTTP/1.1\nstreamed")
    }

    @Test func theAsyncFormGivesTheStreamToo() async {
        final class Giving: NSObject, URLSessionTaskDelegate, Sendable {
            func urlSession(
                _ session: URLSession, needNewBodyStreamForTask task: URLSessionTask
            ) async -> InputStream? { InputStream(data: Data("streamed".utf8)) }
        }
        let server = RawServer.echo()
        let world = BoundWorld()
        var request = URLRequest(url: server.address())
        request.httpMethod = "POST"
        let task = world.session.uploadTask(withStreamedRequest: request)
        task.delegate = Giving()
        task.resume()
        await world.recorder.wait(for: "complete")
        #expect(String(decoding: world.recorder.received, as: UTF8.self) == "POST / HTTP/1.1\nstreamed")
    }

    @Test func aRequestsOwnStreamIsReadAndSentWithoutAsking() async throws {
        let server = RawServer.echo()
        var request = URLRequest(url: server.address())
        request.httpMethod = "POST"
        request.httpBodyStream = InputStream(data: Data(sampleBytes(200_000)))
        let (data, _) = try await BoundWorld().session.data(for: request)
        #expect([UInt8](data) == Array("POST / HTTP/1.1\n".utf8) + sampleBytes(200_000))
    }

    @Test func aStreamThatTakesLongDoesNotStandInTheWayOfYoungerTasks() async throws {
        let server = RawServer.echo()
        let session = URLSession(configuration: .ephemeral)
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        var request = URLRequest(url: server.address("/slow"))
        request.httpMethod = "POST"
        request.httpBodyStream = InputStream(fileAtPath: "/proc/self/fd/\(ends[0])")
        async let slow = session.data(for: request)
        try await poll { await session.allTasks.count == 1 }
        _ = try await session.data(from: server.address("/young"))
        _ = [UInt8]("late".utf8).withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) }
        close(ends[1])
        #expect(try await String(decoding: slow.0, as: UTF8.self) == "POST /slow HTTP/1.1\nlate")
    }

    @Test func aCompletionHandlerHearsAloneAndOnTheDelegateQueue() async {
        let server = RawServer(bytes: Array("hello".utf8))
        let world = BoundWorld()
        let queue = world.session.delegateQueue
        let (text, isOnQueue) = await withCheckedContinuation { done in
            world.session.dataTask(with: server.address()) { data, response, error in
                done.resume(
                    returning: (
                        data.map { String(decoding: $0, as: UTF8.self) }, OperationQueue.current === queue
                    ))
            }.resume()
        }
        #expect(text == "hello")
        #expect(isOnQueue)
        #expect(world.recorder.heard.isEmpty)
    }

    @Test func aDownloadsHandlerGetsAFileThatIsGoneAfterwards() async throws {
        let bytes = sampleBytes(50_000)
        let server = RawServer(bytes: bytes)
        let world = BoundWorld()
        let (contents, location) = await withCheckedContinuation { done in
            world.session.downloadTask(with: server.address()) { location, _, _ in
                done.resume(
                    returning: (
                        location.flatMap { FileManager.default.contents(atPath: $0.path) }, location
                    ))
            }.resume()
        }
        #expect(contents.map { [UInt8]($0) } == bytes)
        let path = try #require(location).path
        try await poll { !FileManager.default.fileExists(atPath: path) }
        #expect(world.recorder.heard.isEmpty)
    }

    @Test func anAsyncDownloadsFileIsTheCallers() async throws {
        let bytes = sampleBytes(50_000)
        let server = RawServer(bytes: bytes)
        let (location, _) = try await BoundWorld().session.download(from: server.address())
        #expect(FileManager.default.contents(atPath: location.path).map { [UInt8]($0) } == bytes)
        try FileManager.default.removeItem(at: location)
    }

    @Test func theSharedSessionFetchesAndCannotBeInvalidated() async throws {
        let server = RawServer(bytes: Array("shared".utf8))
        URLSession.shared.invalidateAndCancel()
        let (data, _) = try await URLSession.shared.data(from: server.address())
        #expect(String(decoding: data, as: UTF8.self) == "shared")
    }

    @Test func cancellingTheSwiftTaskCancelsTheTransfer() async throws {
        let gone = Flag()
        let server = RawServer { connection, _ in
            _ = connection.request()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")
            connection.waitForEnd()
            gone.raise()
        }
        let session = BoundWorld().session
        let waiting = Task { try await session.data(from: server.address()) }
        try await poll { await !session.allTasks.isEmpty }
        waiting.cancel()
        await #expect { try await waiting.value } throws: { ($0 as? URLError)?.code == .cancelled }
        try await poll { gone.isUp }
    }

    @Test func aServerThatIsNotThereIsAnErrorAtOnce() async {
        let port = RawServer(always: "").port  // closed again at once
        // One that was tried again would end in a time-out.
        await #expect {
            try await BoundWorld().session.data(from: try #require(URL(string: "http://127.0.0.1:\(port)/")))
        } throws: {
            [.cannotConnectToHost, .networkConnectionLost].contains(($0 as? URLError)?.code)
        }
    }

    @Test func aConnectionThatIsLostIsAnErrorAfterTheBytesThatCame() async {
        let server = RawServer { connection, _ in
            _ = connection.request()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
        }
        let world = BoundWorld()
        world.session.dataTask(with: server.address()).resume()
        #expect(await world.recorder.wait(for: "complete") == ["response 200", "data", "complete -1005"])
        #expect(world.recorder.received == Array("half".utf8))
    }

    @Test func silenceIsATimeout() async {
        let server = RawServer { connection, _ in
            _ = connection.request()
            connection.waitForEnd()
        }
        let world = BoundWorld { $0.timeoutIntervalForRequest = 0.5 }
        world.session.dataTask(with: server.address()).resume()
        #expect(await world.recorder.wait(for: "complete") == ["complete -1001"])
    }

    @Test func aSessionMayWaitForConnectivity() async throws {
        // A port that nobody listens on, and that nobody else is given meanwhile.
        let reserved = ReservedPort()
        let world = BoundWorld { $0.waitsForConnectivity = true }
        let task = world.session.dataTask(
            with: try #require(URL(string: "http://127.0.0.1:\(reserved.number)/")))
        task.resume()
        await world.recorder.wait(for: "waiting")
        task.cancel()
        #expect(await world.recorder.wait(for: "complete") == ["waiting", "complete -999"])
    }

    @Test func aCancelledDataTaskHearsNothingMoreOfItsBody() async {
        let server = RawServer { connection, _ in
            _ = connection.request()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\n")
            connection.send([UInt8](repeating: 1, count: 5_000_000))
            connection.waitForEnd()
        }
        let world = BoundWorld()
        let task = world.session.dataTask(with: server.address())
        world.recorder.onData = { task.cancel() }
        task.resume()
        #expect(await world.recorder.wait(for: "complete") == ["response 200", "data", "complete -999"])
    }

    @Test func aResponseMayBeRefused() async {
        let server = RawServer(bytes: sampleBytes(1000))
        let world = BoundWorld()
        world.recorder.disposition = { .cancel }
        world.session.dataTask(with: server.address()).resume()
        #expect(await world.recorder.wait(for: "complete") == ["response 200", "complete -999"])
    }

    @Test func aDataTaskMayBecomeADownload() async {
        let bytes = sampleBytes(500_000)
        let server = RawServer(bytes: bytes)
        let world = BoundWorld()
        world.recorder.disposition = { .becomeDownload }
        world.session.dataTask(with: server.address()).resume()
        let heard = await world.recorder.wait(for: "complete")
        #expect(heard == ["response 200", "became 1", "file 500000", "complete nil"])
        #expect(world.recorder.received == bytes)
    }

    @Test func aDataTaskCannotBecomeAStream() async {
        let server = RawServer(bytes: sampleBytes(1000))
        let world = BoundWorld()
        world.recorder.disposition = { .becomeStream }
        world.session.dataTask(with: server.address()).resume()
        #expect(await world.recorder.wait(for: "complete") == ["response 200", "complete -1"])
    }

    @Test func aReaderWhoDoesNotReadHoldsTheServer() async throws {
        let sent = Counter()
        let server = RawServer { connection, _ in
            _ = connection.request()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 64000000\r\n\r\n")
            for _ in 0..<64 where connection.send([UInt8](repeating: 7, count: 1_000_000)) {
                sent.add(1_000_000)
            }
        }
        let (bytes, _) = try await BoundWorld().session.bytes(from: server.address())
        var iterator = bytes.makeAsyncIterator()
        #expect(try await iterator.next() == 7)
        // Until the server stands still, and then it has sent what fits into buffers, not the whole.
        var before = -1
        while before != sent.value {
            before = sent.value
            try await Task.sleep(nanoseconds: 500_000_000)
        }
        #expect(before < 40_000_000)
        var count = 1
        while try await iterator.next() != nil { count += 1 }
        #expect(count == 64_000_000)
    }

    @Test func linesEndAtEveryLineEndAndAreNeverEmpty() async throws {
        let server = RawServer(bytes: Array("one\n\ntwo\r\nthr\u{E9}e\u{2028}four\rfive\u{85}six".utf8))
        let (bytes, _) = try await BoundWorld().session.bytes(from: server.address())
        var lines: [String] = []
        for try await line in bytes.lines { lines.append(line) }
        #expect(lines == ["one", "two", "thr\u{E9}e", "four", "five", "six"])
    }

    @Test func manyTasksAtOnceEachGetTheirOwn() async throws {
        let server = RawServer { connection, _ in
            while let request = connection.request() {
                connection.sendBody([UInt8](repeating: 1, count: 100_000) + Array(request.target.utf8))
            }
        }
        let session = URLSession(configuration: .default)
        let answers = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let (data, _) = try await session.data(from: server.address("/\(number)"))
                    return String(decoding: data.dropFirst(100_000), as: UTF8.self)
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(answers == Set((0..<100).map { "/\($0)" }))
    }

    @Test func anErrorReachesTheLoopAfterTheBytes() async throws {
        let server = RawServer { connection, _ in
            _ = connection.request()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
        }
        let (bytes, _) = try await BoundWorld().session.bytes(from: server.address())
        var got: [UInt8] = []
        await #expect {
            for try await byte in bytes { got.append(byte) }
        } throws: {
            ($0 as? URLError)?.code == .networkConnectionLost
        }
        #expect(got == Array("half".utf8))
    }

    @Test func aTasksOwnDelegateComesBeforeTheSessionsMethodByMethod() async {
        final class OnlyTheEnd: NSObject, URLSessionDataDelegate, @unchecked Sendable {
            let recorder: AnswerRecorder
            init(_ recorder: AnswerRecorder) { self.recorder = recorder }
            func urlSession(
                _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
            ) { recorder.note("complete for the task's own") }
        }
        let server = RawServer(bytes: sampleBytes(10))
        let world = BoundWorld()
        let task = world.session.dataTask(with: server.address())
        task.delegate = OnlyTheEnd(world.recorder)
        task.resume()
        #expect(
            await world.recorder.wait(for: "complete") == [
                "response 200", "data", "complete for the task's own",
            ])
    }

    @Test func anInvalidatedSessionSaysSoLast() async {
        let server = RawServer(bytes: sampleBytes(10))
        let world = BoundWorld()
        world.session.dataTask(with: server.address()).resume()
        world.session.finishTasksAndInvalidate()
        #expect(
            await world.recorder.wait(for: "invalid") == ["response 200", "data", "complete nil", "invalid"])
    }

    @Test func aSessionThatNobodyUsesAnyMoreIsGone() async throws {
        let server = RawServer(bytes: sampleBytes(10))
        weak var session: URLSession?
        let data: Data
        do {
            let made = URLSession(configuration: .ephemeral)
            session = made
            data = try await made.data(from: server.address()).0
        }
        #expect(data.count == 10)
        try await poll { session == nil }
    }

    @Test func onlyHTTPIsTransferred() async {
        await #expect {
            try await BoundWorld().session.data(from: try #require(URL(string: "ftp://127.0.0.1/")))
        } throws: {
            ($0 as? URLError)?.code == .unsupportedURL
        }
    }
}

// MARK: - What the tests use

final class Flag: @unchecked Sendable {
    private let lock = NSLock()
    private var up = false
    func raise() { lock.withLock { up = true } }
    var isUp: Bool { lock.withLock { up } }
}

final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var count = 0
    func add(_ number: Int) { lock.withLock { count += number } }
    var value: Int { lock.withLock { count } }
}

/// A port that is bound and not listened on.
final class ReservedPort {
    let number: UInt16
    private let descriptor: Int32

    init() {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(descriptor, $0, length)
                _ = getsockname(descriptor, $0, &length)
            }
        }
        number = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(descriptor) }
}

/// Waits until something is so; fails after a minute.
func poll(_ isSo: () async throws -> Bool) async throws {
    let deadline = Date(timeIntervalSinceNow: 60)
    while try await !isSo() {
        try #require(Date() < deadline, "it did not come about within a minute")
        try await Task.sleep(nanoseconds: 10_000_000)
    }
}
