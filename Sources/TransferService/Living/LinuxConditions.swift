// The condition of a Linux machine: power from the kernel, the network's cost from NetworkManager. Where neither
// is to be found nothing is in a transfer's way. Reads on a queue of its own, since the answer may take a moment.
import Foundation

@TransferActor
final class LinuxConditions: ConditionSource {
    private let powerSupplies: String
    private let queue = DispatchQueue(label: "transfer-service.conditions")

    /// URLSESSIOND_POWER_SUPPLY replaces the kernel's folder, so that tests can unplug a machine.
    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        powerSupplies = environment["URLSESSIOND_POWER_SUPPLY"] ?? "/sys/class/power_supply"
    }

    func look(_ report: @escaping @TransferActor @Sendable (MachineConditions) -> Void) {
        queue.async { [powerSupplies] in
            var conditions = NetworkCost.current()
            conditions.isOnBattery = PowerSupply.isOnBattery(powerSupplies)
            let seen = conditions
            TransferActor.enqueue { report(seen) }
        }
    }
}
