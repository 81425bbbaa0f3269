// Which tasks may use the network in the machine's present condition. Pure.
import TransferProtocol
import TransferStore

/// What of the machine matters to a task that does not want to run at any price.
struct MachineConditions: Sendable, Equatable {
    var isOnBattery = false
    /// The network costs money or volume, as somebody said or the system guesses.
    var isExpensive = false
    /// Somebody asked to save data on this network.
    var isConstrained = false
    var isCellular = false
}

/// What a task asks of the machine; most ask for nothing.
struct TransferNeeds: Sendable, Equatable {
    var isDiscretionary = false
    var allowsExpensive = true
    var allowsConstrained = true
    var allowsCellular = true

    var isEmpty: Bool { self == TransferNeeds() }
    /// Whether an attempt that runs must stop when the network changes.
    var restrictsNetwork: Bool { !allowsExpensive || !allowsConstrained || !allowsCellular }
}

extension TransferNeeds {
    init(_ conditions: TaskConditions) {
        isDiscretionary = conditions.isDiscretionary
        allowsExpensive = conditions.allowsExpensiveNetworkAccess
        allowsConstrained = conditions.allowsConstrainedNetworkAccess
        allowsCellular = conditions.allowsCellularAccess
    }
}

/// Why a task has to wait.
enum Obstacle: Sendable, Equatable {
    /// Nobody has looked yet.
    case unknown
    case cellular, constrained, expensive
    case battery, metered

    /// For people, as every wait has it.
    var reason: String {
        switch self {
        case .unknown: "looking at power and network"
        case .cellular: "on a cellular network"
        case .constrained: "on a network where data is to be saved"
        case .expensive: "on a metered network"
        case .battery: "on battery power"
        case .metered: "on a metered network, and there is time"
        }
    }
}

enum ConditionPolicy {
    /// Nil when an attempt may begin. `seen` is nil while nobody has looked.
    static func obstacle(to needs: TransferNeeds, _ seen: MachineConditions?) -> Obstacle? {
        if needs.isEmpty { return nil }
        guard let seen else { return .unknown }
        if let obstacle = networkObstacle(to: needs, seen) { return obstacle }
        guard needs.isDiscretionary else { return nil }
        if seen.isOnBattery { return .battery }
        return seen.isExpensive ? .metered : nil
    }

    /// Nil when an attempt that runs may go on. What only would like a better moment has begun, and ends sooner
    /// if it is let.
    static func interruption(of needs: TransferNeeds, _ seen: MachineConditions?) -> Obstacle? {
        seen.flatMap { networkObstacle(to: needs, $0) }
    }

    private static func networkObstacle(
        to needs: TransferNeeds, _ seen: MachineConditions
    ) -> Obstacle? {
        if seen.isCellular, !needs.allowsCellular { return .cellular }
        if seen.isConstrained, !needs.allowsConstrained { return .constrained }
        return seen.isExpensive && !needs.allowsExpensive ? .expensive : nil
    }
}
