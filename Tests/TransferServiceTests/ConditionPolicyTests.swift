// Which task may run in which condition of the machine, and how that is read from Linux.
import Foundation
import Testing
import TransferProtocol

@testable import TransferService

@Suite struct ConditionPolicyTests {
    private static let discretionary = TransferNeeds(isDiscretionary: true)

    @Test func whatAsksForNothingNeverWaits() {
        let worst = MachineConditions(
            isOnBattery: true, isExpensive: true, isConstrained: true, isCellular: true)
        #expect(ConditionPolicy.obstacle(to: TransferNeeds(), worst) == nil)
        #expect(ConditionPolicy.obstacle(to: TransferNeeds(), nil) == nil)
    }

    @Test func whatAsksForSomethingWaitsUntilSomebodyHasLooked() {
        #expect(ConditionPolicy.obstacle(to: Self.discretionary, nil) == .unknown)
        #expect(ConditionPolicy.obstacle(to: Self.discretionary, MachineConditions()) == nil)
    }

    @Test func whatIsDiscretionaryWaitsForPowerAndForAFreeNetworkButIsNotInterrupted() {
        for (conditions, obstacle) in [
            (MachineConditions(isOnBattery: true), Obstacle.battery),
            (MachineConditions(isExpensive: true), .metered),
        ] {
            #expect(ConditionPolicy.obstacle(to: Self.discretionary, conditions) == obstacle)
            #expect(ConditionPolicy.interruption(of: Self.discretionary, conditions) == nil)
        }
    }

    @Test func aNetworkThatIsNotAllowedKeepsOneFromBeginningAndFromGoingOn() {
        for (needs, conditions, obstacle) in [
            (TransferNeeds(allowsExpensive: false), MachineConditions(isExpensive: true), Obstacle.expensive),
            (TransferNeeds(allowsConstrained: false), MachineConditions(isConstrained: true), .constrained),
            (TransferNeeds(allowsCellular: false), MachineConditions(isCellular: true), .cellular),
        ] {
            #expect(ConditionPolicy.obstacle(to: needs, conditions) == obstacle)
            #expect(ConditionPolicy.interruption(of: needs, conditions) == obstacle)
            #expect(ConditionPolicy.obstacle(to: needs, MachineConditions(isOnBattery: true)) == nil)
        }
    }

    @Test func sessionAndRequestMustBothAllowIt() {
        var configuration = SessionConfigurationRecord()
        var request = RequestRecord(url: "http://h/")
        #expect(TransferNeeds(TaskConditions(configuration, request)).isEmpty)
        request.allowsExpensiveNetworkAccess = false
        #expect(!TransferNeeds(TaskConditions(configuration, request)).allowsExpensive)
        request.allowsExpensiveNetworkAccess = true
        configuration.allowsExpensiveNetworkAccess = false
        #expect(!TransferNeeds(TaskConditions(configuration, request)).allowsExpensive)
    }

    // MARK: Reading Linux

    /// NMMetered: unknown, yes, no, guess-yes, guess-no.
    @Test(arguments: [
        ("0", false, false), ("1", true, true), ("2", false, false), ("3", true, false), ("4", false, false),
    ])
    func theNetworksCostIsNetworkManagers(metered: String, isExpensive: Bool, isConstrained: Bool) {
        let seen = NetworkCost.conditions(answer: "u \(metered)\ns \"802-11-wireless\"\n")
        #expect(seen == MachineConditions(isExpensive: isExpensive, isConstrained: isConstrained))
    }

    @Test func aModemIsACellularNetwork() {
        #expect(NetworkCost.conditions(answer: "u 3\ns \"gsm\"\n").isCellular)
        #expect(NetworkCost.conditions(answer: "") == MachineConditions())
        #expect(NetworkCost.conditions(answer: "Failed to get property\n") == MachineConditions())
    }

    @Test(arguments: [
        ([["type": "Battery", "status": "Discharging"], ["type": "Mains", "online": "0"]], true),
        ([["type": "Battery", "status": "Discharging"], ["type": "Mains", "online": "1"]], false),
        ([["type": "Battery", "status": "Charging"], ["type": "USB", "online": "0"]], false),
        ([["type": "Battery", "status": "Discharging", "scope": "Device"]], false),
        ([["type": "Battery", "status": "Discharging"]], true),
        ([["type": "Mains", "online": "0"]], false),
        ([], false),
    ])
    func powerIsTheKernelsPowerSupplyClass(supplies: [[String: String]], isOnBattery: Bool) throws {
        let folder = NSTemporaryDirectory() + "/power-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for (number, supply) in supplies.enumerated() {
            let place = "\(folder)/supply\(number)"
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            for (name, value) in supply {
                try Data("\(value)\n".utf8).write(to: URL(fileURLWithPath: "\(place)/\(name)"))
            }
        }
        #expect(PowerSupply.isOnBattery(folder) == isOnBattery)
    }
}
