// The delegate that an async call is given: how an app gets at the task it never sees.
import Foundation
import Testing

@testable import BackgroundURLSession

@Suite struct TaskDelegateTests {
    private final class Watch: NSObject, URLSessionTaskDelegate, Sendable {
        let created = Guarded<[URLSessionTask]>([])

        func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
            created.with { $0.append(task) }
        }
    }

    @Test func `each async call tells its delegate of the task, before it is resumed`() async throws {
        let server = RawServer.echo()
        let session = BoundWorld().session
        let watch = Watch()
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data("file".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var request = URLRequest(url: server.address("/1"))
        _ = try await session.data(for: request, delegate: watch)
        let (place, _) = try await session.download(for: request, delegate: watch)
        try FileManager.default.removeItem(at: place)
        let (bytes, _) = try await session.bytes(for: request, delegate: watch)
        for try await _ in bytes {}
        request.httpMethod = "PUT"
        _ = try await session.upload(for: request, from: Data("data".utf8), delegate: watch)
        _ = try await session.upload(for: request, fromFile: file, delegate: watch)
        let tasks = watch.created.with { $0 }
        #expect(tasks.map(\.taskIdentifier) == [1, 2, 3, 4, 5])
        #expect(tasks.allSatisfy { $0.originalRequest?.url == request.url })
        #expect(tasks[1] is BackgroundURLSession.URLSessionDownloadTask)
    }
}
