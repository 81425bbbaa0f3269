// What a session tells its delegate about download tasks.

/// Messages about download tasks: (`didResumeAtOffset`) → `didWriteData`… → `didFinishDownloadingTo` →
/// `didCompleteWithError`.
@preconcurrency
public protocol URLSessionDownloadDelegate: URLSessionTaskDelegate {
    /// The file is there. It is gone when this method has returned: open it or move it away.
    ///
    /// An HTTP error's page is a file too; see `downloadTask.response`.
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL)

    /// Bytes arrived: `bytesWritten` of them since the last such message. A slow delegate hears of the newest
    /// count only. `totalBytesExpectedToWrite` is -1 (`NSURLSessionTransferSizeUnknown`) while unknown.
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64)

    /// A task made from resume data was indeed continued. `fileOffset` is what was held.
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64)
}

extension URLSessionDownloadDelegate {
    public func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) { DefaultMark.set(by: self) }

    public func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) { DefaultMark.set(by: self) }
}
