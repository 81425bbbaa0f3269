// Folders for tests, short enough for a socket's address, removed when the test process ends.
import Foundation

@testable import BackgroundURLSession

enum TemporaryFolder {
    private static let made = Guarded<[String]>([])
    private static let installed: Bool = {
        atexit {
            for folder in TemporaryFolder.made.with({ $0 }) {
                try? FileManager.default.removeItem(atPath: folder)
            }
        } == 0
    }()

    /// A path that does not exist yet.
    static func path() -> String {
        _ = installed
        let path = "/tmp/bgus-\(UUID().uuidString.prefix(8))"
        made.with { $0.append(path) }
        return path
    }
}
