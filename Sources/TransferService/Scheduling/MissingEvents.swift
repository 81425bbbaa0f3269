// What an ended task says again of events that nobody can read any more. Pure.
import TransferProtocol
import TransferStore

enum MissingEvents {
    /// Events come in order and `completed` is the last: what is missing is posted again.
    /// - Parameters:
    ///   - count: how many cannot be read.
    ///   - left: those that can.
    static func actions(_ task: TaskRecord, count: Int, left: [TaskEvent]) -> [TransferAction] {
        guard task.phase == .ended else { return [] }
        let news = task.error == nil ? body(of: task).map { [TransferAction.post($0)] } ?? [] : []
        let end = TransferAction.post(.completed(error: task.error))
        let hasEnd = left.contains { if case .completed = $0 { true } else { false } }
        let hasFile = left.contains { event in
            switch event {
            case .downloaded, .answered: true
            case .resumed, .completed: false
            }
        }
        // With the end there, the one before it is missing; unless that is there too, and then it was only
        // news of a beginning.
        if hasEnd { return hasFile || news.isEmpty ? [] : [.retractEvents] + news + [end] }
        return (count > 1 && !hasFile ? news : []) + [end]
    }

    /// The event that brings the body of a task that ended well: none when it went through a pipe, or an upload
    /// was answered without one. The store knows where the file is.
    static func body(of task: TaskRecord) -> TaskEvent? {
        guard task.pipe == nil else { return nil }
        if task.kind == .download { return .downloaded(path: "", bytes: task.received) }
        return task.received > 0 ? .answered(path: "", bytes: task.received) : nil
    }
}
