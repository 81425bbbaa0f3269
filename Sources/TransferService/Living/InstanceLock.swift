// Who is the service. The lock decides, never a process id or a file's existence; the id is only used to
// ask the holder to leave, after the kernel has said that it holds the lock.
import Foundation
import TransferProtocol

enum InstanceLock {
    /// Takes the lock. A holder is asked to leave (SIGTERM: its transfers resume here) and waited for.
    /// - Returns: nil when it has not left within `patience` seconds.
    static func take(_ home: ServiceHome, patience: Double) throws(SystemCallError) -> FileLock? {
        if let lock = try FileLock(path: home.instanceLock, wait: false) { return lock }
        if let holder = holder(of: home.instanceLock) {
            ServiceLog.note("process \(holder) is the service already; asking it to leave")
            kill(holder, SIGTERM)
        }
        let deadline = Date().addingTimeInterval(patience)
        while Date() < deadline {
            usleep(20_000)
            if let lock = try FileLock(path: home.instanceLock, wait: false) { return lock }
        }
        return nil
    }

    /// The process that holds the flock on that file, as the kernel lists it.
    private static func holder(of path: String) -> pid_t? {
        var status = stat()
        guard stat(path, &status) == 0,
            let locks = try? String(contentsOfFile: "/proc/locks", encoding: .utf8)
        else { return nil }
        let inode = ":\(status.st_ino)"
        for line in locks.split(separator: "\n") where line.contains("FLOCK") {
            let words = line.split(separator: " ")
            guard words.count >= 6, words[5].hasSuffix(inode), let pid = pid_t(words[4]), pid > 0 else {
                continue
            }
            return pid
        }
        return nil
    }
}
