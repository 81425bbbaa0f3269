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
        let deadline = seconds() + patience
        while seconds() < deadline {
            usleep(20_000)
            if let lock = try FileLock(path: home.instanceLock, wait: false) { return lock }
        }
        return nil
    }

    private static func seconds() -> Double {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
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
            guard words.count >= 6, words[5].hasSuffix(inode), let pid = pid_t(words[4]), pid > 0,
                has(status, open: pid)
            else { continue }
            return pid
        }
        return nil
    }

    /// Inode numbers repeat from one file system to the next, and the device that the kernel lists is not
    /// always the one that stat tells: only a process that has this very file open is meant.
    private static func has(_ file: stat, open pid: pid_t) -> Bool {
        let folder = "/proc/\(pid)/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.contains { name in
            var status = stat()
            return stat("\(folder)/\(name)", &status) == 0 && status.st_dev == file.st_dev
                && status.st_ino == file.st_ino
        }
    }
}
