// That code written for Apple's platforms compiles: every member once in type position and once in a call. None of
// it is ever run. Scripts/check-api sees to it that no member is missing.
import BackgroundURLSession
import Foundation

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
        _ session: URLSession, task: URLSessionTask,
        didReceiveInformationalResponse response: HTTPURLResponse
    ) {}
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) { everyMetric(metrics) }
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
private final class AsyncMethods: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate {
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition { .becomeDownload }
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse
    ) async -> CachedURLResponse? { nil }
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
        _ session: URLSession, needNewBodyStreamForTask task: URLSessionTask
    ) async -> InputStream? { nil }
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
    configuration.httpShouldUsePipelining = false
    let _: URLSessionConfiguration = URLSessionConfiguration()
    let _: URLSessionConfiguration = .default
    let _: URLSessionConfiguration = .ephemeral
    let _ = configuration.copy() as? URLSessionConfiguration
    let _ = configuration.copy(with: nil)
    let _: [URLSessionConfiguration.MultipathServiceType] = [.none, .handover, .interactive, .aggregate]
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
    _ = session.dataTask(with: URLRequest(url: url)) { _, _, _ in }
    _ = session.downloadTask(with: url) { _, _, _ in }
    _ = session.downloadTask(withResumeData: data) { _, _, _ in }
    _ = session.uploadTask(with: URLRequest(url: url), from: data) { _, _, _ in }
    let (bytes, head): (URLSession.AsyncBytes, URLResponse) = try await session.bytes(from: url)
    for try await byte in bytes { let _: UInt8 = byte }
    let lines: AsyncLineSequence<URLSession.AsyncBytes> = bytes.lines
    for try await line in lines { let _: String = line }
    let characters: AsyncCharacterSequence<URLSession.AsyncBytes> = bytes.characters
    for try await character in characters { let _: Character = character }
    let scalars: AsyncUnicodeScalarSequence<URLSession.AsyncBytes> = bytes.unicodeScalars
    for try await scalar in scalars { let _: UnicodeScalar = scalar }
    _ = (head, bytes.task)
    _ = try await session.bytes(for: URLRequest(url: url), delegate: nil)
    _ = try await session.download(for: URLRequest(url: url), delegate: delegate)
    _ = try await session.download(resumeFrom: data)
    _ = try await session.upload(resumeFrom: data)
    _ = session.uploadTask(withResumeData: data) { _, _, _ in }
    _ = try await session.upload(for: URLRequest(url: url), fromFile: url, delegate: delegate)
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
    let _: [URLSessionTask.State] = [.running, .suspended, .canceling, .completed]
    let _: [Float] = [
        URLSessionTask.defaultPriority, URLSessionTask.lowPriority, URLSessionTask.highPriority,
    ]
    let _: String = task.description
    let _: Any = task.copy(with: nil)
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
    let _: URLSessionTaskDelegate? = task.delegate
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
        let _: URLError.NetworkUnavailableReason? = error.networkUnavailableReason
    }
    let _: [URLError.BackgroundTaskCancelledReason] = [
        .userForceQuitApplication, .backgroundUpdatesDisabled, .insufficientSystemResources,
    ]
    let information = (error as NSError).userInfo
    _ = information[NSURLSessionDownloadTaskResumeData]
    _ = information[NSURLSessionUploadTaskResumeData]
    _ = information[NSURLErrorNetworkUnavailableReasonKey]
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

private func everyDisposition() {
    let _: [URLSession.AuthChallengeDisposition] = [
        .useCredential, .performDefaultHandling, .cancelAuthenticationChallenge, .rejectProtectionSpace,
    ]
    let _: [URLSession.ResponseDisposition] = [.cancel, .allow, .becomeDownload, .becomeStream]
    let _: [URLSession.DelayedRequestDisposition] = [.continueLoading, .useNewRequest, .cancel]
}

private func everyUpload(_ task: URLSessionUploadTask) async {
    task.cancel(byProducingResumeData: { _ in })
    _ = await task.cancelByProducingResumeData()
}

private func everyMetric(_ metrics: URLSessionTaskMetrics) {
    let _: (DateInterval, Int, String) = (metrics.taskInterval, metrics.redirectCount, metrics.description)
    let _: [URLSessionTaskTransactionMetrics] = metrics.transactionMetrics
    for one in metrics.transactionMetrics {
        let _: URLSessionTaskMetrics.ResourceFetchType = one.resourceFetchType
        let _: URLSessionTaskMetrics.DomainResolutionProtocol = one.domainResolutionProtocol
        let _: [Date?] = [
            one.fetchStartDate, one.domainLookupStartDate, one.domainLookupEndDate, one.connectStartDate,
            one.secureConnectionStartDate, one.secureConnectionEndDate, one.connectEndDate,
            one.requestStartDate, one.requestEndDate, one.responseStartDate, one.responseEndDate,
        ]
        let _: [Int64] = [
            one.countOfRequestHeaderBytesSent, one.countOfRequestBodyBytesSent,
            one.countOfRequestBodyBytesBeforeEncoding, one.countOfResponseHeaderBytesReceived,
            one.countOfResponseBodyBytesReceived, one.countOfResponseBodyBytesAfterDecoding,
        ]
        let _: [Bool] = [
            one.isProxyConnection, one.isReusedConnection, one.isCellular, one.isExpensive,
            one.isConstrained, one.isMultipath,
        ]
        let _: (URLRequest, URLResponse?, String?) = (one.request, one.response, one.networkProtocolName)
        let _: [String?] = [one.localAddress, one.remoteAddress, one.description]
        _ = (one.localPort, one.remotePort)
        _ = (one.negotiatedTLSProtocolVersion, one.negotiatedTLSCipherSuite)
    }
}

func everyCredentialCall(
    _ storage: URLCredentialStorage, _ credential: URLCredential, _ space: URLProtectionSpace,
    _ task: URLSessionTask
) {
    let _: String = NSURLAuthenticationMethodServerTrust
    let _: String = NSURLAuthenticationMethodClientCertificate
    storage.set(credential, for: space, task: task)
    storage.setDefaultCredential(credential, for: space, task: task)
    storage.getCredentials(for: space, task: task) { (_: [String: URLCredential]?) in }
    storage.getDefaultCredential(for: space, task: task) { (_: URLCredential?) in }
    storage.remove(credential, for: space, options: nil, task: task)
}
