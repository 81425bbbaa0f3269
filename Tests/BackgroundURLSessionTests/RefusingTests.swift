// What a background session refuses ends the process with the rule's name, each in a process of its own.
import Foundation
import Testing

@testable import BackgroundURLSession

@Suite struct RefusingTests {
    /// A session that never finds a service.
    private static func session() -> URLSession {
        let configuration = URLSessionConfiguration.background(withIdentifier: "refusing")
        configuration.access = ServiceAccess(
            home: .init(folder: "/nonexistent/home"), environment: [:], clientName: "tests",
            executableFolder: "/nonexistent")
        return URLSession(configuration: configuration)
    }

    private static func expect(_ rule: String, _ result: ExitTest.Result?) {
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains(rule))
    }

    @Test func completionHandlersAreRefused() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let url = try #require(URL(string: "http://127.0.0.1/"))
            _ = RefusingTests.session().downloadTask(with: url) { _, _, _ in }
        }
        Self.expect("does not take completion handlers", result)
    }

    @Test func asyncTransfersAreRefused() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let url = try #require(URL(string: "http://127.0.0.1/"))
            _ = try await RefusingTests.session().data(from: url)
        }
        Self.expect("does not take async transfers", result)
    }

    @Test func uploadsOfDataAreRefused() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let url = try #require(URL(string: "http://127.0.0.1/"))
            _ = RefusingTests.session().uploadTask(with: URLRequest(url: url), from: Data())
        }
        Self.expect("uploads from a file only", result)
    }
}
