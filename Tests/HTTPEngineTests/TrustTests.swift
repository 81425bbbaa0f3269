// Whom the engine trusts, and who it says it is, against a TLS server with an authority of its own.
import Foundation
import Testing

@testable import HTTPEngine

/// Tests/Fixtures/tls_server.py while it runs.
final class TLSServer: @unchecked Sendable {
    // Unchecked: nothing changes after `init`.
    let folder: String
    let port: Int
    private let process = Process()

    init(_ folder: String, wantsClient: Bool = false) throws {
        self.folder = folder
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Fixtures/tls_server.py").path
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let parent = String(ProcessInfo.processInfo.processIdentifier)
        process.arguments = ["python3", script, folder, parent] + (wantsClient ? ["--client"] : [])
        process.standardOutput = pipe
        try process.run()
        let line = String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
        port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
    }

    deinit { process.terminate() }

    var url: String { "https://127.0.0.1:\(port)/" }
    func path(_ name: String) -> String { folder + "/" + name }

    /// The server's key as libcurl pins it.
    var pin: String { get throws { try String(contentsOfFile: path("pin"), encoding: .utf8) } }
}

@Suite(.timeLimit(.minutes(2))) struct TrustTests {
    let world = EngineWorld()

    private func request(_ server: TLSServer, trusting: Bool = true) -> EngineRequest {
        var request = world.request(server.url)
        if trusting { request.additionalCAFile = server.path("ca.pem") }
        return request
    }

    @Test func `an added authority is trusted and others are not`() async throws {
        let server = try TLSServer(world.folder)
        let outcome = await world.run(request(server))
        #expect(outcome.failure == nil)
        #expect(world.body() == Array("hello".utf8))
        // Python's ssl and libcurl's OpenSSL agree upon TLS 1.3, and one of its suites.
        #expect(outcome.transactions.last?.metrics.tlsVersion == 0x0304)
        #expect((0x1301...0x1303).contains(outcome.transactions.last?.metrics.tlsSuite ?? 0))
        let again = await world.run(request(server), 4)
        #expect(again.transactions.last?.metrics.reusedConnection == true)
        #expect(again.transactions.last?.metrics.tlsVersion == 0x0304)
        let stranger = await world.run(request(server, trusting: false), 2)
        #expect(stranger.failure?.kind == .certificateUntrusted)
        var elsewhere = request(server)
        elsewhere.url = "https://localhost:\(server.port)/"
        #expect(await world.run(elsewhere, 3).failure?.kind == .certificateWrongHost)
    }

    @Test func `what is trusted anyway stays trusted beside an added authority`() async throws {
        let server = try TLSServer(world.folder)
        let other = world.folder + "/other"
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
        let second = try TLSServer(other)
        var request = request(server)
        request.caFile = second.path("ca.pem")
        request.caPath = "/nonexistent"
        #expect(await world.run(request).failure == nil)
        request.url = second.url
        #expect(await world.run(request, 2).failure == nil)
    }

    @Test func `only a pinned key is talked to`() async throws {
        let server = try TLSServer(world.folder)
        let wrong = "sha256//" + Data(repeating: 7, count: 32).base64EncodedString()
        var request = request(server)
        request.pinnedKeys = try wrong + ";" + server.pin
        #expect(await world.run(request).failure == nil)
        request.pinnedKeys = wrong
        #expect(await world.run(request, 2).failure?.kind == .keyNotPinned)
        // A pin does not replace the authority.
        request.pinnedKeys = try server.pin
        request.additionalCAFile = nil
        #expect(await world.run(request, 3).failure?.kind == .certificateUntrusted)
    }

    @Test func `a server that wants a certificate gets it, from PEM or PKCS 12`() async throws {
        let server = try TLSServer(world.folder, wantsClient: true)
        var request = request(server)
        let stranger = await world.run(request)
        #expect(
            stranger.failure?.kind == .clientCertificateRequired, "\(String(describing: stranger.failure))")
        request.identity = EngineIdentity(certificateFile: server.path("client.p12"), password: "wrong")
        #expect(await world.run(request, 2).failure?.kind == .clientCertificateRejected)
        request.identity?.password = "secret"
        #expect(await world.run(request, 3).failure == nil)
        request.identity = EngineIdentity(certificateFile: server.path("client.pem"))
        #expect(await world.run(request, 4).failure == nil)
        request.identity = EngineIdentity(
            certificateFile: server.path("client.crt"), keyFile: server.path("client.key"))
        #expect(await world.run(request, 5).failure == nil)
        request.identity = EngineIdentity(certificateFile: "/nonexistent.pem")
        #expect(await world.run(request, 6).failure?.kind == .clientCertificateRejected)
    }
}
