// That code written for Apple's platforms compiles: every member once in type position or in a call. Most
// of it is never run. Only `Foundation` and this module are imported, as an app would.
import BackgroundURLSession
import Foundation
import Testing

private final class EveryMethod: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate {
    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: Error?) {}
    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) { completionHandler(.performDefaultHandling, nil) }
    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {}
    func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {}
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
        completionHandler: @escaping (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
    ) { completionHandler(.continueLoading, nil) }
    func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {}
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) { completionHandler(request) }
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) { completionHandler(.useCredential, nil) }
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping (InputStream?) -> Void
    ) { completionHandler(nil) }
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {}
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {}
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {}
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) { completionHandler(.allow) }
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didBecome downloadTask: URLSessionDownloadTask
    ) {}
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {}
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping (CachedURLResponse?) -> Void
    ) { completionHandler(nil) }
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {}
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {}
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {}
}

/// The async forms, and only what has to be there.
private final class AsyncMethods: NSObject, URLSessionDownloadDelegate {
    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) { (.performDefaultHandling, nil) }
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest
    ) async -> (URLSession.DelayedRequestDisposition, URLRequest?) { (.continueLoading, nil) }
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest
    ) async -> URLRequest? { request }
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) { (.cancelAuthenticationChallenge, nil) }
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {}
}

private func everyConfigurationMember() {
    let configuration = URLSessionConfiguration.background(withIdentifier: "com.example")
    let _: String? = configuration.identifier
    configuration.isDiscretionary = true
    configuration.sessionSendsLaunchEvents = true
    configuration.allowsCellularAccess = false
    configuration.allowsExpensiveNetworkAccess = false
    configuration.allowsConstrainedNetworkAccess = false
    configuration.httpMaximumConnectionsPerHost = 2
    configuration.sharedContainerIdentifier = "group"
    configuration.httpAdditionalHeaders = ["A": "b"]
    configuration.timeoutIntervalForRequest = 1
    configuration.timeoutIntervalForResource = 1
    configuration.httpCookieStorage = nil
    configuration.waitsForConnectivity = true
    configuration.urlCache = nil
    configuration.urlCredentialStorage = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.httpShouldSetCookies = false
    configuration.httpCookieAcceptPolicy = .never
    configuration.protocolClasses = []
    configuration.shouldUseExtendedBackgroundIdleMode = true
    configuration.connectionProxyDictionary = nil
    configuration.networkServiceType = .background
    configuration.multipathServiceType = .none
    let _: URLSessionConfiguration = .default
    let _: URLSessionConfiguration = .ephemeral
    let _ = configuration.copy() as? URLSessionConfiguration
}

private func everySessionMember(_ url: URL, _ data: Data, _ delegate: URLSessionDownloadDelegate) async throws
{
    let configuration = URLSessionConfiguration.background(withIdentifier: "com.example")
    let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: .main)
    _ = URLSession(configuration: configuration)
    let download: URLSessionDownloadTask = session.downloadTask(with: url)
    _ = session.downloadTask(with: URLRequest(url: url))
    _ = session.downloadTask(withResumeData: data)
    let upload: URLSessionUploadTask = session.uploadTask(with: URLRequest(url: url), fromFile: url)
    let _: URLSessionDataTask = upload
    let _: URLSessionDataTask = session.dataTask(with: url)
    _ = session.dataTask(with: URLRequest(url: url))
    session.getAllTasks { tasks in for task in tasks { task.cancel() } }
    session.getTasksWithCompletionHandler { data, uploads, downloads in
        _ = data.count + uploads.count + downloads.count
    }
    let all: [URLSessionTask] = await session.allTasks
    let (_, uploads, downloads) = await session.tasks
    _ = (all, uploads, downloads)
    session.flush {}
    session.reset {}
    await session.flush()
    await session.reset()
    session.sessionDescription = "s"
    let _: URLSessionDelegate? = session.delegate
    let _: OperationQueue = session.delegateQueue
    let _: URLSessionConfiguration = session.configuration
    session.finishTasksAndInvalidate()
    session.invalidateAndCancel()
    _ = session.uploadTask(withResumeData: data)
    _ = session.uploadTask(with: URLRequest(url: url), from: data)
    _ = session.uploadTask(withStreamedRequest: URLRequest(url: url))
    _ = session.dataTask(with: url) { _, _, _ in }
    _ = session.downloadTask(with: URLRequest(url: url)) { _, _, _ in }
    _ = session.uploadTask(with: URLRequest(url: url), fromFile: url) { _, _, _ in }
    _ = try await session.data(from: url)
    _ = try await session.data(for: URLRequest(url: url))
    _ = try await session.download(from: url)
    _ = try await session.upload(for: URLRequest(url: url), from: data)
    _ = URLSession.shared
    await everyTaskMember(download)
}

private func everyTaskMember(_ task: URLSessionDownloadTask) async {
    task.resume()
    task.suspend()
    task.cancel()
    let _: URLSessionTask.State = task.state
    let _: URLResponse? = task.response
    let _: Error? = task.error
    task.taskDescription = "t"
    let _: Int = task.taskIdentifier
    let _: URLRequest? = task.originalRequest
    let _: URLRequest? = task.currentRequest
    task.countOfBytesClientExpectsToSend = NSURLSessionTransferSizeUnknown
    task.countOfBytesClientExpectsToReceive = 1
    let _: Int64 =
        task.countOfBytesSent + task.countOfBytesReceived + task.countOfBytesExpectedToSend
        + task.countOfBytesExpectedToReceive
    task.priority = URLSessionTask.highPriority
    task.earliestBeginDate = Date()
    let _: Progress = task.progress
    let _: ProgressReporting = task
    task.delegate = nil
    task.cancel { data in _ = data }
    task.cancel(byProducingResumeData: { _ in })
    _ = await task.cancelByProducingResumeData()
    var byTask: [URLSessionTask: String] = [:]
    byTask[task] = "x"
    let _: Set<URLSessionTask> = [task]
    let _: any Sendable = task
    switch task as URLSessionTask {
    case let upload as URLSessionUploadTask: _ = upload
    case let download as URLSessionDownloadTask: _ = download
    case let data as URLSessionDataTask: _ = data
    default: break
    }
}

private func everyKey(_ error: Error) {
    if let error = error as? URLError, error.code == .cancelled {
        let _: Data? = error.downloadTaskResumeData
        let _: Data? = error.uploadTaskResumeData
        let _: URLError.BackgroundTaskCancelledReason? = error.backgroundTaskCancelledReason
    }
    let information = (error as NSError).userInfo
    _ = information[NSURLSessionDownloadTaskResumeData]
    _ = information[NSURLSessionUploadTaskResumeData]
    _ =
        information[NSURLErrorBackgroundTaskCancelledReasonKey] as? Int
        == NSURLErrorCancelledReasonUserForceQuitApplication
    _ = [
        NSURLErrorCancelled, NSURLErrorBackgroundSessionInUseByAnotherProcess,
        NSURLErrorBackgroundSessionWasDisconnected, NSURLErrorBackgroundSessionRequiresSharedContainer,
        NSURLErrorCancelledReasonBackgroundUpdatesDisabled,
        NSURLErrorCancelledReasonInsufficientSystemResources,
    ]
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
        let delegates: [any URLSessionDownloadDelegate] = [EveryMethod(), AsyncMethods()]
        #expect(delegates.count == 2)
    }
}
