// Resume data of process-bound sessions, in one process and in another home's service.
import Foundation
import Testing
import TransferProtocol

@testable import BackgroundURLSession

@Suite struct BoundResumingTests {
    private static let bytes = sampleBytes(200_000)
    private static let held = 120_000

    /// Stands still, or breaks off, after the first bytes; knows ranges.
    private static func server(breaks: Bool) -> RawServer {
        RawServer { connection, _ in
            while let request = connection.request() {
                let fields = "ETag: \"1\"\r\nAccept-Ranges: bytes\r\n"
                if let range = request.value("Range"), let from = Int(range.dropFirst(6).dropLast()) {
                    let rest = Array(bytes[from...])
                    connection.sendBody(
                        rest,
                        head: "HTTP/1.1 206 Partial Content\r\n\(fields)"
                            + "Content-Range: bytes \(from)-\(bytes.count - 1)/\(bytes.count)\r\n")
                } else {
                    connection.send("HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(bytes.count)\r\n\r\n")
                    connection.send(Array(bytes[..<held]))
                    if breaks { return }
                    connection.waitForEnd()
                }
            }
        }
    }

    /// Pauses a download when the server stands still.
    private static func pause(_ world: BoundWorld, _ server: RawServer) async throws -> Data {
        let task = world.session.downloadTask(with: server.address())
        task.resume()
        try await poll { task.countOfBytesReceived == held }
        return try #require(await task.cancelByProducingResumeData())
    }

    private static func file(in data: Data) throws -> String {
        try #require((try JSONSerialization.jsonObject(with: data) as? [String: Any])?["file"] as? String)
    }

    @Test func aPausedDownloadGoesOnInAnotherSession() async throws {
        let server = Self.server(breaks: false)
        let data = try await Self.pause(BoundWorld(.default), server)
        let world = BoundWorld()
        world.session.downloadTask(withResumeData: data).resume()
        #expect(
            await world.recorder.wait(for: "complete") == [
                "resumed \(Self.held)", "file 200000", "complete nil",
            ])
        #expect(world.recorder.received == Self.bytes)
    }

    @Test func whatADefaultSessionHeldLiesWhereALaterProcessFindsIt() async throws {
        let data = try await Self.pause(BoundWorld(.default), Self.server(breaks: false))
        let file = try Self.file(in: data)
        #expect(file.hasPrefix(NSTemporaryDirectory()))
        #expect(FileManager.default.contents(atPath: file)?.count == Self.held)
        try FileManager.default.removeItem(atPath: file)
    }

    @Test func whatAnEphemeralSessionHeldGoesWithTheProcess() async throws {
        let server = Self.server(breaks: false)
        let data = try await Self.pause(BoundWorld(.ephemeral), server)
        let home = ServiceAccess.current.hosted().home.folder
        #expect(try Self.file(in: data).hasPrefix(home + "/"))
        let (location, _) = try await BoundWorld().session.download(resumeFrom: data)
        #expect(FileManager.default.contents(atPath: location.path).map { [UInt8]($0) } == Self.bytes)
    }

    @Test func resumeDataIsGoodForOneUse() async throws {
        let server = Self.server(breaks: false)
        let data = try await Self.pause(BoundWorld(.default), server)
        _ = try await BoundWorld().session.download(resumeFrom: data)
        let world = BoundWorld()
        let again = world.session.downloadTask(withResumeData: data)
        again.resume()
        // From the beginning: it stands still where the first one did.
        try await poll { again.countOfBytesReceived == Self.held }
        again.cancel()
        #expect(await world.recorder.wait(for: "complete") == ["complete -999"])
    }

    @Test func aLostDownloadsErrorCarriesResumeData() async throws {
        let server = Self.server(breaks: true)
        let error = await #expect(throws: URLError.self) {
            try await BoundWorld(.default).session.download(from: server.address())
        }
        #expect(error?.code == .networkConnectionLost)
        let data = try #require(error?.downloadTaskResumeData)
        let (location, response) = try await BoundWorld().session.download(resumeFrom: data)
        #expect((response as? HTTPURLResponse)?.statusCode == 206)
        #expect(FileManager.default.contents(atPath: location.path).map { [UInt8]($0) } == Self.bytes)
    }
}
