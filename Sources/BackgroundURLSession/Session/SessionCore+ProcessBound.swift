// Sessions that end with their process: cores without a name that anybody else could use.
import Foundation

extension SessionCore {
    private static let count = Guarded(0)

    static func processBound(_ configuration: URLSessionConfiguration, queue: OperationQueue) -> SessionCore {
        let number = count.with { count in
            count += 1
            return count
        }
        configuration.access = configuration.access.hosted()
        return SessionCore(
            identifier: "of this process, \(number)", client: configuration.access.clientName,
            configuration: configuration, queue: queue, onInvalid: {})
    }
}
