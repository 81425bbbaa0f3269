// The background sessions of this process, one for each identifier. Holds them, and with them their
// delegates, until they have become invalid.
import Foundation

final class SessionRegistry: Sendable {
    static let shared = SessionRegistry()

    private struct Key: Hashable {
        var home: String
        var client: String
        var identifier: String
    }

    private let cores = Guarded<[Key: SessionCore]>([:])

    /// The core of that session, made now if this is the first; a second one is warned about.
    func core(
        for identifier: String, configuration: URLSessionConfiguration, queue: OperationQueue
    ) -> (core: SessionCore, isFirst: Bool) {
        let client = configuration.sharedContainerIdentifier ?? configuration.access.clientName
        let key = Key(home: configuration.access.home.folder, client: client, identifier: identifier)
        let found = cores.with { cores -> (core: SessionCore, isFirst: Bool) in
            if let core = cores[key] { return (core, false) }
            let core = SessionCore(
                identifier: identifier, client: client, configuration: configuration, queue: queue,
                onInvalid: { self.cores.with { $0[key] = nil } })
            cores[key] = core
            return (core, true)
        }
        if !found.isFirst {
            Complaint.print(
                "A background URLSession with identifier \(identifier) already exists! The second object hears "
                    + "nothing; keep and use the first one.")
        }
        return found
    }
}
