// Making tasks that report to the delegate. Tasks start suspended. Nothing here throws: a task that cannot
// be made well fails when it is resumed, in `didCompleteWithError`.
import TransferProtocol

extension URLSession {
    /// A task that downloads to a file.
    public func downloadTask(with url: URL) -> URLSessionDownloadTask {
        downloadTask(with: URLRequest(url: url))
    }

    /// A task that downloads to a file. Only `http` and `https`; anything else fails with `-1002`.
    public func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
        core.makeDownload(request)
    }

    /// A task that goes on from what an earlier task held. It can be used once.
    public func downloadTask(withResumeData resumeData: Data) -> URLSessionDownloadTask {
        core.makeDownload(resumeData: resumeData)
    }

    /// A task that sends a file, and exactly that file, as the request's body (POST unless the request says
    /// otherwise). The file must stay as it is now until the task has ended: removed, the task fails with
    /// `-1100`; changed, with an error that says so.
    public func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
        core.makeUpload(request, file: fileURL)
    }

    /// Declared so that code compiles: uploads on Linux begin at 0. The task fails when it is resumed.
    public func uploadTask(withResumeData resumeData: Data) -> URLSessionUploadTask {
        core.makeUpload(resumeData: resumeData)
    }

    /// A task whose answer comes as data. On a background session it lasts as long as this process: the next one
    /// hears that it failed with `-997`.
    public func dataTask(with url: URL) -> URLSessionDataTask {
        dataTask(with: URLRequest(url: url))
    }

    /// As `dataTask(with:)` for an address.
    public func dataTask(with request: URLRequest) -> URLSessionDataTask {
        core.makeData(request)
    }
}
