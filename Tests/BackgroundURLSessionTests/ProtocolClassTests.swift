// Requests that a URLProtocol subclass of the app's answers, inside the process.
import Foundation
import FoundationNetworking
import Testing

@testable import BackgroundURLSession

/// Answers `made:` addresses: the path in two pieces, or an error, a redirect, or nothing.
private final class MadeProtocol: URLProtocol {
    static let stopped = Counter()

    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "made" }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let client, let url = request.url else { return }
        switch url.host {
        case "error": client.urlProtocol(self, didFailWithError: URLError(.cannotParseResponse))
        case "silence": break
        case "redirect":
            guard let next = URL(string: "made://text/elsewhere"), let head = head(302) else { return }
            client.urlProtocol(self, wasRedirectedTo: URLRequest(url: next), redirectResponse: head)
        default:
            guard let head = head(200) else { return }
            client.urlProtocol(self, didReceive: head, cacheStoragePolicy: .notAllowed)
            client.urlProtocol(self, didLoad: Data((request.httpMethod ?? "").utf8))
            client.urlProtocol(self, didLoad: Data(url.path.utf8) + (request.httpBody ?? Data()))
            client.urlProtocolDidFinishLoading(self)
        }
    }

    private func head(_ status: Int) -> HTTPURLResponse? {
        request.url.flatMap {
            HTTPURLResponse(url: $0, statusCode: status, httpVersion: "HTTP/1.1", headerFields: nil)
        }
    }

    override func stopLoading() { Self.stopped.add(1) }
}

/// Has another thread make a task of the session while it is asked about one, and waits for that.
private final class CuriousProtocol: URLProtocol {
    static let session = Guarded<BackgroundURLSession.URLSession?>(nil)
    static let gotThrough = Guarded<Bool?>(nil)

    override class func canInit(with request: URLRequest) -> Bool {
        guard let url = request.url, url.path == "/first", let session = session.with({ $0 }) else {
            return false
        }
        let done = DispatchSemaphore(value: 0)
        Thread {
            _ = session.dataTask(with: url.deletingLastPathComponent())
            done.signal()
        }.start()
        let isDone = done.wait(timeout: .now() + 20) == .success
        gotThrough.with { $0 = isDone }
        return false
    }
}

@Suite struct ProtocolClassTests {
    private func world() -> BoundWorld { BoundWorld { $0.protocolClasses = [MadeProtocol.self] } }

    private func address(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test func aDataTaskIsAnsweredByTheClass() async throws {
        let world = world()
        let task = world.session.dataTask(with: try address("made://text/hello"))
        task.resume()
        #expect(await world.recorder.wait(for: "complete") == ["response 200", "data", "complete nil"])
        #expect(String(decoding: world.recorder.received, as: UTF8.self) == "GET/hello")
        #expect(task.countOfBytesReceived == 9)
    }

    @Test func aDataTaskThatTheClassAnswersMayBecomeADownload() async throws {
        let world = world()
        world.recorder.disposition = { .becomeDownload }
        world.session.dataTask(with: try address("made://text/file")).resume()
        let heard = await world.recorder.wait(for: "complete", seconds: 20)
        #expect(heard == ["response 200", "became 1", "file 8", "complete nil"])
        #expect(String(decoding: world.recorder.received, as: UTF8.self) == "GET/file")
    }

    @Test func aClassThatIsAskedHoldsNoOtherTaskUp() throws {
        let world = BoundWorld { $0.protocolClasses = [CuriousProtocol.self] }
        CuriousProtocol.session.with { $0 = world.session }
        defer { CuriousProtocol.session.with { $0 = nil } }
        _ = world.session.dataTask(with: try address("http://127.0.0.1:1/first"))
        #expect(CuriousProtocol.gotThrough.with { $0 } == true)
    }

    @Test func aDownloadIsAnsweredByTheClass() async throws {
        let world = world()
        world.session.downloadTask(with: try address("made://text/file")).resume()
        #expect(await world.recorder.wait(for: "complete") == ["file 8", "complete nil"])
        #expect(String(decoding: world.recorder.received, as: UTF8.self) == "GET/file")
    }

    @Test func anUploadsBodyReachesTheClass() async throws {
        var request = URLRequest(url: try address("made://text/in"))
        request.httpMethod = "PUT"
        let (data, _) = try await world().session.upload(for: request, from: Data(" body".utf8))
        #expect(String(decoding: data, as: UTF8.self) == "PUT/in body")
    }

    @Test func anErrorOfTheClassIsTheTasks() async throws {
        let url = try address("made://error/")
        await #expect { try await world().session.data(from: url) } throws: {
            ($0 as? URLError)?.code == .cannotParseResponse
        }
    }

    @Test func aRedirectIsFollowedByTheClass() async throws {
        let (data, _) = try await world().session.data(from: try address("made://redirect/"))
        #expect(String(decoding: data, as: UTF8.self) == "GET/elsewhere")
    }

    @Test func aCancelledTaskStopsTheClass() async throws {
        let world = world()
        let before = MadeProtocol.stopped.value
        let task = world.session.dataTask(with: try address("made://silence/"))
        task.resume()
        #expect(await world.session.allTasks == [task])
        task.cancel()
        #expect(await world.recorder.wait(for: "complete") == ["complete -999"])
        try await poll { MadeProtocol.stopped.value > before }
    }

    @Test func addressesThatNoClassWantsGoToTheirServers() async throws {
        let server = RawServer(bytes: Array("from the server".utf8))
        let (data, _) = try await world().session.data(from: server.address())
        #expect(String(decoding: data, as: UTF8.self) == "from the server")
    }
}
