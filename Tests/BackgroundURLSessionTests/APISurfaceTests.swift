// What a configuration begins with, and what a delegate must have. That every member compiles is a package's
// business: Tests/Packages/LessonProgram/Sources/every-member.
import BackgroundURLSession
import Foundation
import Testing

private final class OnlyTheFile: NSObject, URLSessionDownloadDelegate {
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {}
}

@Suite struct APISurfaceTests {
    @Test func aConfigurationHasApplesDefaults() {
        let configuration = URLSessionConfiguration.background(withIdentifier: "com.example")
        #expect(configuration.identifier == "com.example")
        #expect(configuration.sessionSendsLaunchEvents)
        #expect(!configuration.isDiscretionary)
        #expect(configuration.timeoutIntervalForRequest == 60)
        #expect(configuration.timeoutIntervalForResource == 604_800)
        #expect(configuration.httpMaximumConnectionsPerHost == 6)
        #expect(URLSessionConfiguration.default.identifier == nil)
    }

    @Test func aDelegateNeedsOnlyTheFileMethod() {
        let delegates: [any URLSessionDownloadDelegate] = [OnlyTheFile()]
        #expect(delegates.count == 1)
    }
}
