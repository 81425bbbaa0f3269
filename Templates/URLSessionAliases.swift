// Copy this file into a target whose sources say `import FoundationNetworking` beside
// `import BackgroundURLSession` (or `#if canImport(FoundationNetworking)`): it settles, for the whole
// target, that these names mean BackgroundURLSession's types. A target that imports only Foundation and
// BackgroundURLSession does not need it.
import BackgroundURLSession

typealias URLSession = BackgroundURLSession.URLSession
typealias URLSessionConfiguration = BackgroundURLSession.URLSessionConfiguration
typealias URLSessionTask = BackgroundURLSession.URLSessionTask
typealias URLSessionDataTask = BackgroundURLSession.URLSessionDataTask
typealias URLSessionUploadTask = BackgroundURLSession.URLSessionUploadTask
typealias URLSessionDownloadTask = BackgroundURLSession.URLSessionDownloadTask
typealias URLSessionDelegate = BackgroundURLSession.URLSessionDelegate
typealias URLSessionTaskDelegate = BackgroundURLSession.URLSessionTaskDelegate
typealias URLSessionDataDelegate = BackgroundURLSession.URLSessionDataDelegate
typealias URLSessionDownloadDelegate = BackgroundURLSession.URLSessionDownloadDelegate
typealias URLSessionTaskMetrics = BackgroundURLSession.URLSessionTaskMetrics
typealias URLSessionTaskTransactionMetrics = BackgroundURLSession.URLSessionTaskTransactionMetrics

// Names that FoundationNetworking lacks; without these a file would have to import BackgroundURLSession.
let NSURLSessionDownloadTaskResumeData = BackgroundURLSession.NSURLSessionDownloadTaskResumeData
let NSURLSessionUploadTaskResumeData = BackgroundURLSession.NSURLSessionUploadTaskResumeData
