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
        let hasBody = task.error == nil && task.pipe == nil && (task.kind == .download || task.received > 0)
        let news: [TransferAction] = hasBody ? [.post(file(of: task, task.received))] : []
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

    /// The event that brings a task's body. The store knows where the file is.
    static func file(of task: TaskRecord, _ bytes: Int64) -> TaskEvent {
        task.kind == .download
            ? .downloaded(path: "", bytes: bytes) : .answered(path: "", bytes: bytes)
    }
}
