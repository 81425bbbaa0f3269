// Which boot of the machine this is. After a crash of the machine, only synced bytes can be trusted.
import Foundation

enum BootIdentity {
    /// The kernel's boot id. URLSESSIOND_BOOT_ID replaces it, so that tests can simulate a crash.
    static func current(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> String {
        if let chosen = environment["URLSESSIOND_BOOT_ID"] { return chosen }
        let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        return text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "unknown"
    }
}
