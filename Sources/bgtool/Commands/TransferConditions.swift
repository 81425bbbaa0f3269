// Puts what a person asked for by options into a configuration and a task.
import BackgroundURLSession

extension ConditionOptions {
    func apply(to configuration: URLSessionConfiguration) {
        configuration.isDiscretionary = isDiscretionary
        configuration.allowsExpensiveNetworkAccess = allowsExpensive
        configuration.allowsConstrainedNetworkAccess = allowsConstrained
        if let resourceTimeout { configuration.timeoutIntervalForResource = resourceTimeout }
    }

    /// Before `resume`.
    func apply(to task: URLSessionTask) {
        if let begin { task.earliestBeginDate = begin }
        if let priority { task.priority = priority }
        guard let expectedBytes else { return }
        if task is URLSessionUploadTask {
            task.countOfBytesClientExpectsToSend = Int64(expectedBytes)
        } else {
            task.countOfBytesClientExpectsToReceive = Int64(expectedBytes)
        }
    }
}
