// Keys of `userInfo` that FoundationNetworking lacks, and `URLError`'s typed views of them.

/// In the `userInfo` of a failed or cancelled download: `Data` for `downloadTask(withResumeData:)`.
public let NSURLSessionDownloadTaskResumeData = "NSURLSessionDownloadTaskResumeData"
/// Declared so that code compiles; uploads on Linux always begin at 0, so that it is never set.
public let NSURLSessionUploadTaskResumeData = "NSURLSessionUploadTaskResumeData"
/// Declared so that code compiles; never set on Linux.
public let NSURLErrorNetworkUnavailableReasonKey = "NSURLErrorNetworkUnavailableReasonKey"

extension URLError {
    /// Why the system, and not the app, cancelled a background task.
    public enum BackgroundTaskCancelledReason: Int, Sendable {
        case userForceQuitApplication = 0
        case backgroundUpdatesDisabled = 1
        case insufficientSystemResources = 2
    }

    /// What `downloadTask(withResumeData:)` takes to go on from the bytes that are held; nil when the
    /// download cannot be resumed.
    public var downloadTaskResumeData: Data? { userInfo[NSURLSessionDownloadTaskResumeData] as? Data }

    /// Always nil on Linux: uploads begin at 0.
    public var uploadTaskResumeData: Data? { userInfo[NSURLSessionUploadTaskResumeData] as? Data }

    /// Which of a configuration's or a request's permissions kept it from the network.
    public enum NetworkUnavailableReason: Int, Sendable {
        case cellular = 0
        case expensive = 1
        case constrained = 2
    }

    /// Always nil on Linux: the kernel does not say which network was missing.
    public var networkUnavailableReason: NetworkUnavailableReason? {
        (userInfo[NSURLErrorNetworkUnavailableReasonKey] as? Int)
            .flatMap(NetworkUnavailableReason.init(rawValue:))
    }

    /// Nil when the app cancelled by itself.
    public var backgroundTaskCancelledReason: BackgroundTaskCancelledReason? {
        (userInfo[NSURLErrorBackgroundTaskCancelledReasonKey] as? Int)
            .flatMap(BackgroundTaskCancelledReason.init(rawValue:))
    }
}
