// What NetworkManager says of the network's cost, asked over D-Bus by systemd's busctl. Without one of them there
// is no answer and no constraint.
import Foundation

enum NetworkCost {
    /// `--auto-start=no`: looking must not start a NetworkManager that somebody switched off.
    private static let question = """
        exec timeout 5 busctl --system --auto-start=no --timeout=3 get-property \
        org.freedesktop.NetworkManager /org/freedesktop/NetworkManager org.freedesktop.NetworkManager \
        Metered PrimaryConnectionType 2>/dev/null </dev/null
        """

    static func current() -> MachineConditions {
        guard let pipe = popen(question, "r") else { return MachineConditions() }
        defer { pclose(pipe) }
        var buffer = [UInt8](repeating: 0, count: 1024)
        let count = fread(&buffer, 1, buffer.count, pipe)
        return conditions(answer: String(decoding: buffer[..<count], as: UTF8.self))
    }

    /// A line for each property, its type first: `u 4`, `s "gsm"`. Metered is 1 when somebody said so, 3 when
    /// NetworkManager guesses (NMMetered); a phone's hotspot is the usual guess.
    static func conditions(answer: String) -> MachineConditions {
        let lines = answer.split(separator: "\n").map(String.init)
        let metered = lines.first { $0.hasPrefix("u ") }?.dropFirst(2)
        let type = lines.first { $0.hasPrefix("s ") }?.dropFirst(2)
        var conditions = MachineConditions()
        conditions.isExpensive = metered == "1" || metered == "3"
        conditions.isConstrained = metered == "1"
        conditions.isCellular = type == "\"gsm\"" || type == "\"cdma\""
        return conditions
    }
}
