// Whether a lost attempt is followed by another. Pure: SEMANTICS of background and of process-bound sessions
// differ in nothing else that the machine decides.
import TransferProtocol
import TransferStore

extension TaskRecord {
    /// Failures that come before there is a connection.
    private static let connecting: Set = [
        ErrorCode.cannotFindHost, ErrorCode.cannotConnect, ErrorCode.dnsFailed,
    ]

    /// - Parameter code: what the task would end with.
    func mayTryAgain(after code: Int) -> Bool {
        // A reader that has had the beginning of an answer cannot take it back.
        if pipe != nil, response != nil { return false }
        switch retryRule {
        case .always: return true
        case .untilConnected: return Self.connecting.contains(code)
        case .never: return false
        }
    }
}

extension RetryRule {
    init(_ configuration: SessionConfigurationRecord) {
        guard configuration.isProcessBound == true else {
            self = .always
            return
        }
        self = configuration.waitsForConnectivity == true ? .untilConnected : .never
    }
}
