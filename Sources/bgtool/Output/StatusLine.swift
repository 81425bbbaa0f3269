// A task as one line of `bgtool status`. Pure.
import BackgroundURLSession
import Foundation

enum StatusLine {
    /// `1 audiobook-42 running received=650000 expected=2000000`, and for one that waits or failed, why.
    static func text(_ task: BackgroundTaskStatus, now: Date = Date(), namesSession: Bool = false) -> String {
        var words = ["\(task.id)", task.label, task.state.rawValue, counter(task)]
        if let expected = task.kind == .upload ? task.expectedToSend : task.expected {
            words.append("expected=\(expected)")
        }
        if namesSession { words.append("session=\(task.session) client=\(task.client)") }
        if let reason = reason(task, now) { words.append(reason) }
        return words.joined(separator: " ")
    }

    /// How far it is: `received=650000`, or `sent=1250000`.
    static func counter(_ task: BackgroundTaskStatus) -> String {
        task.kind == .upload ? "sent=\(task.sent)" : "received=\(task.received)"
    }

    private static func reason(_ task: BackgroundTaskStatus, _ now: Date) -> String? {
        if let error = task.error { return error.message }
        guard task.state == .waiting, let wait = task.wait else { return nil }
        let next = wait.until.map { ", next in \(seconds(from: now, to: $0)) s" } ?? ""
        return "\(wait.reason), attempt \(wait.attempt)\(next)"
    }

    /// Whole seconds, not negative; of a date that another program sent, and that an Int may not hold.
    private static func seconds(from now: Date, to then: Date) -> Int {
        Int(min(max(then, now), .distantFuture).timeIntervalSince(now).rounded())
    }
}

extension BackgroundTaskStatus {
    /// The name it is known by; a task without a description has none.
    var label: String { name ?? "-" }
}
