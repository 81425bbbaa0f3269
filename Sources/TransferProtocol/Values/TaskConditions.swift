// On which terms a task may run, from the configuration it was made with. For people who look: `admin.tasks`.
import Foundation

public struct TaskConditions: Codable, Sendable, Equatable {
    public var isDiscretionary: Bool
    public var allowsCellularAccess: Bool
    public var allowsExpensiveNetworkAccess: Bool
    public var allowsConstrainedNetworkAccess: Bool
    public var maximumConnectionsPerHost: Int
    public var timeoutForResource: Double

    /// Session and request must both allow something (Apple: `URLRequest.allowsExpensiveNetworkAccess`).
    public init(_ configuration: SessionConfigurationRecord, _ request: RequestRecord) {
        isDiscretionary = configuration.isDiscretionary
        allowsCellularAccess = configuration.allowsCellularAccess && request.allowsCellularAccess ?? true
        allowsExpensiveNetworkAccess =
            configuration.allowsExpensiveNetworkAccess && request.allowsExpensiveNetworkAccess ?? true
        allowsConstrainedNetworkAccess =
            configuration.allowsConstrainedNetworkAccess && request.allowsConstrainedNetworkAccess ?? true
        maximumConnectionsPerHost = configuration.maximumConnectionsPerHost
        timeoutForResource = configuration.timeoutForResource
    }
}
