// The file that an answer goes into when this process, and not the service, writes it: a data task that became
// a download, or a download that a protocol class answers.
import Foundation
import TransferProtocol

final class AnswerFile: @unchecked Sendable {
    // Unchecked: written on the delegate queue only, one call at a time.
    let path: String
    private let descriptor: Int32

    private init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    /// A new file, 0600, in the service's folder of incoming files. It goes with this object.
    static func make(in home: ServiceHome) -> Result<AnswerFile, ErrorRecord> {
        let path = home.incoming + "/CFNetworkDownload_" + UUID().uuidString + ".tmp"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            return .failure(error(ErrorCode.cannotCreateFile, "could not be made", path))
        }
        return .success(AnswerFile(path: path, descriptor: descriptor))
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    /// Nil when all of it was written.
    func append(_ piece: Data) -> ErrorRecord? {
        let isWhole = piece.withUnsafeBytes { bytes -> Bool in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Glibc.write(
                    descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
        return isWhole ? nil : Self.error(ErrorCode.cannotWriteToFile, "could not be written", path)
    }

    private static func error(_ code: Int, _ what: String, _ path: String) -> ErrorRecord {
        ErrorRecord(
            code, "The download's file \(path) \(what): \(String(cString: strerror(errno))).", path: path)
    }
}
