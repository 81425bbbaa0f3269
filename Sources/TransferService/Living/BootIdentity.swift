// Which boot of the machine this is. After a crash of the machine, only synced bytes can be trusted.
import Foundation

enum BootIdentity {
    /// The kernel's boot id.
    static func current() -> String {
        #if DEBUG
            if let chosen = FaultSwitch.bootIdentity.value { return chosen }
        #endif
        let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        return text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "unknown"
    }
}
