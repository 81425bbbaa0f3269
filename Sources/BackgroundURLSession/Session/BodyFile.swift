// A request body given as data, on its way to the service: a private file, durable before the service is
// told of it. The service owns it from then on.
import Foundation
import TransferProtocol

enum BodyFile {
    static func write(_ body: Data, in home: ServiceHome) -> Result<String, ErrorRecord> {
        let path = home.incoming + "/" + UUID().uuidString + ".body"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return .failure(error(path)) }
        defer { close(descriptor) }
        let isWhole = body.withUnsafeBytes { bytes -> Bool in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Glibc.write(
                    descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return fsync(descriptor) == 0
        }
        guard isWhole else {
            let failure = error(path)
            unlink(path)
            return .failure(failure)
        }
        return .success(path)
    }

    /// As above, from a stream, which is opened and closed here. Blocks as long as the stream does, and gives up
    /// when the body is not wanted any more.
    static func write(
        _ stream: InputStream, in home: ServiceHome, isWanted: () -> Bool
    ) -> Result<String, ErrorRecord> {
        let path = home.incoming + "/" + UUID().uuidString + ".body"
        guard
            FileManager.default.createFile(
                atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]),
            let file = FileHandle(forWritingAtPath: path)
        else { return .failure(error(path)) }
        stream.open()
        defer { stream.close() }
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while isWanted() {
            let count = stream.read(&buffer, maxLength: buffer.count)
            if count == 0 { return .success(path) }
            guard count > 0 else {
                unlink(path)
                let reason = stream.streamError.map { "\($0)" } ?? "it says no reason"
                return .failure(
                    ErrorRecord(ErrorCode.unknown, "The body's stream could not be read: \(reason)."))
            }
            do { try file.write(contentsOf: buffer.prefix(count)) } catch {
                defer { unlink(path) }
                return .failure(Self.error(path))
            }
        }
        unlink(path)
        return .failure(.cancelled)
    }

    private static func error(_ path: String) -> ErrorRecord {
        ErrorRecord(
            ErrorCode.cannotCreateFile,
            "The request's body could not be written to \(path): \(String(cString: strerror(errno))).",
            path: path)
    }
}
