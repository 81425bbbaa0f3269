// Which service, as whom, and with what environment: read once, handed down, replaced by tests.
import Foundation
import TransferProtocol

struct ServiceAccess: Sendable {
    var home: ServiceHome
    var environment: [String: String]
    /// The executable's name; tests and `sharedContainerIdentifier` give another.
    var clientName: String
    /// The folder of this program's executable, where the service's is looked for.
    var executableFolder: String

    static let current: ServiceAccess = {
        let environment = ProcessInfo.processInfo.environment
        let executable =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            .map { URL(fileURLWithPath: $0) } ?? URL(fileURLWithPath: ProcessInfo.processInfo.processName)
        return ServiceAccess(
            home: ServiceHome(environment: environment), environment: environment,
            clientName: executable.lastPathComponent.replacingOccurrences(of: " (deleted)", with: ""),
            executableFolder: executable.deletingLastPathComponent().path)
    }()
}
