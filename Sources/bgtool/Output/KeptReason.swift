// Why an arrived file was not put in place, and what a person can do. Pure.
import Downloads

enum KeptReason {
    /// For one that is still with the service.
    static func words(_ error: DownloadError, task: Int) -> String {
        switch error {
        case .noInstructions:
            return "\(error); the service keeps it until 'bgtool cancel \(task) --discard'"
        case .fileSystem(PlacementError.destinationExists(let path)):
            return
                "\(path) exists already; the service keeps what arrived. Move that file away, or say 'bgtool "
                + "start' again with -o or --force, then 'bgtool resume'"
        case .fileSystem(let error as PlacementError):
            return "\(error) The service keeps what arrived for the next 'bgtool resume'."
        case .fileSystem, .transport, .unexpectedResponse, .unacceptableStatus, .notAsPromised,
            .keptAside, .cancelled:
            return "\(error)"
        }
    }

    /// For one that is not what it should be.
    static func words(_ error: DownloadError, keptAt path: String?) -> String {
        path.map { "\(error); it is kept as \($0)" } ?? "\(error)"
    }
}
