// The name of the link that hands a body to its owner. Pure.
import TransferStore

/// Names the task, so that every delivery of it makes the same link and no other task's is touched; and, by a
/// piece of the token, no two services': clients move the file to a common folder under this name.
struct DeliveryName {
    let text: String

    init(_ task: TaskRecord) {
        let kind = task.kind == .download ? "CFNetworkDownload" : "CFNetworkUpload"
        text = "\(kind)_\(task.key)-\(task.token.prefix(8)).tmp"
    }

    /// The task whose link that is; nil for a name of another making.
    static func key(in name: String) -> Int64? {
        guard let tail = name.split(separator: "_").last, name.hasPrefix("CFNetwork") else { return nil }
        return tail.split(separator: "-").first.flatMap { Int64($0) }
    }
}
