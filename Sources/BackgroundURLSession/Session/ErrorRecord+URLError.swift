// Errors of tasks, from the words of the protocol to what a delegate gets.
import Foundation
import FoundationNetworking
import TransferProtocol

extension ErrorRecord {
    /// A `URLError` when it is one (the usual case), so that both casts that clients use work.
    var asError: any Error {
        var info: [String: Any] = [NSLocalizedDescriptionKey: message]
        if let url {
            // `NSURLErrorFailingURLStringErrorKey`, deprecated and still read by clients.
            info["NSErrorFailingURLStringKey"] = url
            if let parsed = URL(exactly: url) { info[NSURLErrorFailingURLErrorKey] = parsed }
        }
        if let path { info[NSFilePathErrorKey] = path }
        if let cancelledReason { info[NSURLErrorBackgroundTaskCancelledReasonKey] = cancelledReason }
        if let resumeData { info[NSURLSessionDownloadTaskResumeData] = resumeData }
        guard domain == NSURLErrorDomain, let code = URLError.Code(rawValue: code) else {
            return NSError(domain: domain, code: code, userInfo: info)
        }
        return URLError(code, userInfo: info)
    }

    /// What becomes of a session's tasks when its service cannot be had.
    init(_ error: ServiceError) {
        if case .sessionInUse = error {
            self.init(ErrorCode.backgroundSessionInUse, error.description)
        } else {
            self.init(ErrorCode.backgroundSessionDisconnected, error.description)
        }
    }

    /// What becomes of a task that the service would not make.
    init(refusedTask error: RPCError, kind: TaskKind) {
        let code: Int
        switch error.data?.reason {
        case RPCError.Reason.storeFailed: code = ErrorCode.cannotCreateFile
        case _ where kind == .data: code = ErrorCode.backgroundSessionDisconnected
        default: code = ErrorCode.unknown
        }
        self.init(code, error.message)
    }

    static let cancelled = ErrorRecord(ErrorCode.cancelled, "The transfer was cancelled.")
    static let madeOnInvalidSession = ErrorRecord(
        ErrorCode.cancelled, "The task was made on a session that has been invalidated; make a new session.")
}
