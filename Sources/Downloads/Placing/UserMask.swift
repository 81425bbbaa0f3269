// The process's umask, read without changing it: umask(2) can only be read by
// setting it, and another thread's file made in that moment would be open to all.

import Foundation
import Glibc

enum UserMask {
    /// What a new file of the user's own gets. Where /proc cannot be read, nobody
    /// else gets anything.
    static func newFileMode() -> mode_t { 0o666 & ~current }

    /// The mask itself.
    static var current: mode_t {
        let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        return status.flatMap(mask) ?? 0o077
    }

    /// The line `Umask:\t0022` (proc(5), since Linux 4.7).
    static func mask(inStatus status: String) -> mode_t? {
        let line = status.split(separator: "\n").first { $0.hasPrefix("Umask:") }
        let digits = line?.dropFirst("Umask:".count).trimmingCharacters(in: .whitespaces)
        return digits.flatMap { mode_t($0, radix: 8) }
    }
}
