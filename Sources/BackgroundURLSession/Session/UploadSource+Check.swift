// Whether a file can be sent, seen when the task is made: the person who made it is still there.
import Foundation
import TransferProtocol

extension UploadSource {
    /// The file's identity as it is now, or why it cannot be sent.
    static func check(_ url: URL) -> Result<UploadSource, ErrorRecord> {
        guard url.isFileURL else {
            return .failure(
                ErrorRecord(
                    ErrorCode.unsupportedURL, "A background upload sends a file, not \(url.scheme ?? "this")."
                ))
        }
        let path = url.absoluteURL.standardizedFileURL.path
        func failure(_ code: Int, _ message: String) -> Result<UploadSource, ErrorRecord> {
            .failure(ErrorRecord(code, message, path: path))
        }
        var status = stat()
        guard stat(path, &status) == 0 else {
            let reason = String(cString: strerror(errno))
            if errno == EACCES {
                return failure(
                    ErrorCode.noPermissionToReadFile,
                    "The file to upload, \(path), cannot be read: \(reason).")
            }
            return failure(
                ErrorCode.fileDoesNotExist,
                "The file to upload, \(path), does not exist. Put it there and make the task again.")
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR:
            return failure(
                ErrorCode.fileIsDirectory, "\(path) is a folder; a background upload sends one file.")
        default:
            return failure(
                ErrorCode.cannotOpenFile,
                "\(path) is not a regular file; a background upload sends only those.")
        }
        guard access(path, R_OK) == 0 else {
            return failure(
                ErrorCode.noPermissionToReadFile,
                "The file to upload, \(path), may not be read by this user.")
        }
        return .success(UploadSource(path: path, status: status))
    }
}
