// The service's log: a line an event on standard error, which is the log file, whoever started the service.
// Never an address's query, never a header, never a body.
import Foundation
import TransferProtocol

enum ServiceLog {
    /// Standard error belongs to the app that hosts the service. Set once, before there is anything to say.
    nonisolated(unsafe) static var isSilent = false

    /// A log of this length is renamed when a service begins, over the one before it: two are the most.
    private static let longest: off_t = 4 << 20

    /// Makes the file descriptors 1 and 2. A client that starts the service has done so; systemd and people
    /// have not.
    static func open(at path: String) throws(SystemCallError) {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > longest {
            rename(path, path + ".1")
        }
        let log = Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard log >= 0 else { throw SystemCallError("open the log", path) }
        for number in [STDOUT_FILENO, STDERR_FILENO] where dup2(log, number) < 0 {
            throw SystemCallError("write to the log", path)
        }
        if log > STDERR_FILENO { close(log) }
    }

    /// Whether standard error is that log already.
    static func isOpen(at path: String) -> Bool {
        var log = stat()
        var current = stat()
        return stat(path, &log) == 0 && fstat(STDERR_FILENO, &current) == 0 && log.st_dev == current.st_dev
            && log.st_ino == current.st_ino
    }

    /// Writes one line, stamped with UTC time. Any thread; one write(2) a line, so that lines stay whole.
    static func note(_ text: String) {
        if isSilent { return }
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        var parts = tm()
        gmtime_r(&now.tv_sec, &parts)
        let stamp = String(
            format: "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", parts.tm_year + 1900, parts.tm_mon + 1,
            parts.tm_mday,
            parts.tm_hour, parts.tm_min, parts.tm_sec, now.tv_nsec / 1_000_000)
        let line = "\(stamp) \(text.replacingOccurrences(of: "\n", with: " "))\n"
        _ = line.withCString { write(2, $0, strlen($0)) }
    }

    /// An address without user, query and fragment: those may hold credentials.
    static func redacted(_ url: String) -> String {
        // Of what cannot be taken apart nobody knows which part is a password.
        guard var parts = URLComponents(string: url, encodingInvalidCharacters: false) else {
            return "(an unreadable address)"
        }
        parts.user = nil
        parts.password = nil
        parts.percentEncodedQuery = nil
        parts.fragment = nil
        return parts.string ?? "-"
    }
}
