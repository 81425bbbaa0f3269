// Low memory as the kernel tells it: by a pressure-stall trigger, which sleeps until tasks have waited for memory;
// where the kernel has none or does not let this user set one, by a look at MemAvailable every few seconds. A
// thread of its own while somebody listens.

import Foundation
import Glibc

public final class MemoryPressure: MemoryPressureSource, @unchecked Sendable {
    // Unchecked: `watch` is guarded by `lock`.

    /// Some task has waited for memory 0.2 s within 2 s. Users without privileges may only ask for windows of
    /// whole 2 s (Linux, Documentation/accounting/psi.rst).
    private static let trigger = "some 200000 2000000"
    /// Of all memory; less than this available is low.
    static let lowFraction = 0.05

    private let pressureFile: String
    private let meminfo: @Sendable () -> String?
    private let interval: TimeInterval
    private let lock = NSLock()
    private var watch: Watch?

    public convenience init() {
        self.init(pressureFile: "/proc/pressure/memory", interval: 5) {
            try? String(contentsOfFile: "/proc/meminfo", encoding: .utf8)
        }
    }

    init(pressureFile: String, interval: TimeInterval, meminfo: @escaping @Sendable () -> String?) {
        self.pressureFile = pressureFile
        self.interval = interval
        self.meminfo = meminfo
    }

    deinit { end() }

    public func begin(_ letGo: @escaping @Sendable () -> Void) {
        lock.withLock {
            watch?.stop()
            let descriptor = Self.openTrigger(pressureFile)
            watch = Watch(trigger: descriptor, interval: interval, letGo) { [meminfo] in
                meminfo().map(Self.isLow) ?? false
            }
        }
    }

    public func end() {
        lock.withLock {
            watch?.stop()
            watch = nil
        }
    }

    /// Nil where there is no such thing, or not for this user.
    private static func openTrigger(_ path: String) -> Int32? {
        let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        // The kernel wants the end of the text, too.
        let written = trigger.utf8CString.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard written > 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    /// Of the text of /proc/meminfo (proc(5)); what cannot be read is not low.
    static func isLow(_ meminfo: String) -> Bool {
        guard let all = kilobytes("MemTotal:", in: meminfo), all > 0,
            let available = kilobytes("MemAvailable:", in: meminfo)
        else { return false }
        return Double(available) < lowFraction * Double(all)
    }

    private static func kilobytes(_ name: String, in meminfo: String) -> Int64? {
        let line = meminfo.split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int64($0) }
    }
}

/// The thread that waits, and the pipe that ends it.
private final class Watch: @unchecked Sendable {
    // Unchecked: nothing changes after it was made, but for the pipe's end, which `stop` alone closes.
    private let trigger: Int32?
    private let interval: TimeInterval
    private let letGo: @Sendable () -> Void
    private let isLow: @Sendable () -> Bool
    private let ends: (read: Int32, write: Int32)

    init(
        trigger: Int32?, interval: TimeInterval, _ letGo: @escaping @Sendable () -> Void,
        isLow: @escaping @Sendable () -> Bool
    ) {
        self.trigger = trigger
        self.interval = interval
        self.letGo = letGo
        self.isLow = isLow
        var ends: [Int32] = [-1, -1]
        pipe(&ends)
        for end in ends where end >= 0 { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        self.ends = (ends[0], ends[1])
        guard ends[0] >= 0 else {
            // Without a way to end it there is no thread, and nothing is let go of.
            if let trigger { close(trigger) }
            return
        }
        Thread.detachNewThread { self.run() }
    }

    func stop() {
        if ends.write >= 0 { close(ends.write) }
    }

    private func run() {
        defer {
            close(ends.read)
            if let trigger { close(trigger) }
        }
        var wasLow = false
        while true {
            var waited = [
                pollfd(fd: ends.read, events: Int16(POLLIN), revents: 0),
                pollfd(fd: trigger ?? -1, events: Int16(POLLPRI), revents: 0),
            ]
            let timeout = trigger == nil ? Int32(interval * 1000) : -1
            let count = poll(&waited, nfds_t(waited.count), timeout)
            if count < 0, errno != EINTR { return }
            if waited[0].revents != 0 { return }
            if waited[1].revents & Int16(POLLERR) != 0 { return }
            if trigger != nil {
                if waited[1].revents & Int16(POLLPRI) != 0 { letGo() }
            } else {
                // Once for each time that it becomes so.
                let isLow = isLow()
                if isLow, !wasLow { letGo() }
                wasLow = isLow
            }
        }
    }
}
