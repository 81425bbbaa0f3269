// Which service, as whom, and with what environment: read once, handed down, replaced by tests.
import Foundation
import TransferProtocol
import TransferService

struct ServiceAccess: Sendable {
    var home: ServiceHome
    var environment: [String: String]
    /// The executable's name; tests and `sharedContainerIdentifier` give another.
    var clientName: String
    /// The folder of this program's executable, where the service's is looked for.
    var executableFolder: String
    /// The service is this process's own, for sessions that end with it.
    var isHosted = false

    /// As `current`, to the service inside this process, which begins with the first question for it.
    func hosted() -> ServiceAccess {
        var access = self
        access.isHosted = true
        // Without it connecting fails, and says why.
        if let home = try? HostedService.home() { access.home = home }
        return access
    }

    static let current: ServiceAccess = {
        let environment = ProcessInfo.processInfo.environment
        let executable = Executable.current
        return ServiceAccess(
            home: ServiceHome(environment: environment), environment: environment,
            clientName: executable.name, executableFolder: executable.folder)
    }()
}
