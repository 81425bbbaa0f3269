// Why a download did not become the file that was wanted. The kinds are stable: programs tell them apart.

import BackgroundURLSession
import Foundation

public enum DownloadError: Error, Sendable, CustomStringConvertible {
    /// Nobody has written down what this file is for.
    case noInstructions
    /// A `PlacementError`, `WishStoreError` or `FileDigestError`: the file arrived, and could not be read, put in
    /// place or written down.
    case fileSystem(any Error & Sendable)
    /// Nothing arrived, or not all of it. `resumeData`, if there is any, is for
    /// `URLSession.downloadTask(withResumeData:)`; it can be used once.
    case transport(any Error & Sendable, resumeData: Data?)
    /// The answer is no file, whatever its status: it follows "the answer cannot be used: ".
    case unexpectedResponse(String)
    /// The server's page for that status is not the file.
    case unacceptableStatus(Int)
    case notAsPromised(Mismatch)
    /// The same, and its wish asked for what arrived to be kept: it is in the file `at`, for whoever looks into
    /// it to remove.
    indirect case keptAside(DownloadError, at: String)
    /// By whoever wanted it, or by the system: then the reason is one of
    /// `NSURLErrorCancelledReasonUserForceQuitApplication` and its kin.
    case cancelled(resumeData: Data?, reason: Int? = nil)

    /// What `didCompleteWithError` was given.
    public init(transport error: any Error) {
        let info = (error as NSError).userInfo
        let resumeData = info[NSURLSessionDownloadTaskResumeData] as? Data
        let known = error as? URLError
        if known?.code == .cancelled {
            self = .cancelled(
                resumeData: resumeData, reason: info[NSURLErrorBackgroundTaskCancelledReasonKey] as? Int)
        } else {
            let cause: any Error & Sendable = known ?? (error as NSError)
            self = .transport(cause, resumeData: resumeData)
        }
    }

    /// Of what arrived before the end; nil when nothing can be continued.
    public var resumeData: Data? {
        switch self {
        case .transport(_, let data), .cancelled(let data, _): data
        case .noInstructions, .fileSystem, .unexpectedResponse, .unacceptableStatus, .notAsPromised,
            .keptAside:
            nil
        }
    }

    public var description: String {
        switch self {
        case .noInstructions: "nobody has written down where it belongs"
        case .fileSystem(let error): "\(error)"
        case .transport(let error, _): (error as NSError).localizedDescription
        case .unexpectedResponse(let why): "the answer cannot be used: \(why)"
        case .unacceptableStatus(let status): "the server answered with status \(status)"
        case .notAsPromised(let mismatch): mismatch.description
        case .keptAside(let error, let path): "\(error); it is kept as \(path)"
        case .cancelled: "it was cancelled"
        }
    }
}
