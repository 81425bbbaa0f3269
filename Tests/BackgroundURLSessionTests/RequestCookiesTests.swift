// A request that says it wants no part in cookies, in sessions that keep them on either side.
import Foundation
import FoundationNetworking
import Testing
import TransferProtocol

@testable import BackgroundURLSession

@Suite struct RequestCookiesTests {
    /// Gives the cookie that the path names; answers with the cookies that came.
    private static func server() -> RawServer {
        RawServer { connection, _ in
            while let request = connection.request() {
                let name = request.target.dropFirst()
                connection.sendBody(
                    Array((request.value("Cookie") ?? "none").utf8),
                    head: "HTTP/1.1 200 OK\r\nSet-Cookie: \(name)=1\r\n")
            }
        }
    }

    private static func ask(
        _ session: BackgroundURLSession.URLSession, _ url: URL, handles: Bool
    ) async throws -> String {
        var request = URLRequest(url: url)
        request.httpShouldHandleCookies = handles
        return String(decoding: try await session.data(for: request).0, as: UTF8.self)
    }

    @Test(arguments: [true, false])
    func oneThatDoesNotHandleCookiesNeitherSendsNorKeepsThem(hasStorage: Bool) async throws {
        let configuration = BackgroundURLSession.URLSessionConfiguration.ephemeral
        let storage =
            hasStorage
            ? HTTPCookieStorage.sharedCookieStorage(forGroupContainerIdentifier: UUID().uuidString) : nil
        if let storage { configuration.httpCookieStorage = storage }
        defer { storage?.removeCookies(since: .distantPast) }
        let session = URLSession(configuration: configuration)
        let server = Self.server()
        #expect(try await Self.ask(session, server.address("/kept"), handles: true) == "none")
        #expect(try await Self.ask(session, server.address("/unwanted"), handles: false) == "none")
        #expect(try await Self.ask(session, server.address("/kept"), handles: true) == "kept=1")
    }
}
