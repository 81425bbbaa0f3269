// Whether the machine runs on its battery, as the kernel's power-supply class tells (Documentation/ABI/testing/
// sysfs-class-power). Reads a few small files.
import Foundation

enum PowerSupply {
    /// A battery is being emptied and nothing else feeds the machine. Batteries of mice and headsets do not count.
    static func isOnBattery(_ folder: String) -> Bool {
        let supplies = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        var isEmptied = false
        for supply in supplies {
            let value = { (name: String) -> String in
                let text = try? String(contentsOfFile: "\(folder)/\(supply)/\(name)", encoding: .utf8)
                return text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
            }
            guard value("scope") != "Device" else { continue }
            if value("type") == "Battery" {
                if value("status") == "Discharging" { isEmptied = true }
            } else if value("online") == "1" {
                return false
            }
        }
        return isEmptied
    }
}
