// A task as one line of `bgtool status`. Pure.
import BackgroundURLSession
import Foundation

enum StatusLine {
    /// `1 audiobook-42 running received=650000 expected=2000000`, and for one that waits or failed, why.
    static func text(_ task: BackgroundTaskStatus, now: Date = Date(), namesSession: Bool = false) -> String {
        var words = ["\(task.id)", task.label, task.isPaused ? "paused" : task.state.rawValue, counter(task)]
        if let expected = task.kind == .upload ? task.expectedToSend : task.expected {
            words.append("expected=\(expected)")
        }
        words += terms(task, now)
        if namesSession { words.append("session=\(task.session) client=\(task.client)") }
        if let reason = reason(task, now) { words.append(reason) }
        return words.joined(separator: " ")
    }

    /// How far it is: `received=650000`, or `sent=1250000`.
    static func counter(_ task: BackgroundTaskStatus) -> String {
        task.kind == .upload ? "sent=\(task.sent)" : "received=\(task.received)"
    }

    /// What was asked for beyond the usual, while it still matters.
    private static func terms(_ task: BackgroundTaskStatus, _ now: Date) -> [String] {
        guard task.state != .finished, task.state != .failed else { return [] }
        var words: [String] = []
        if let begin = task.earliestBeginDate, begin > now {
            words.append("begins=\(begin.formatted(.iso8601))")
        }
        if task.priority != Double(URLSessionTask.defaultPriority) {
            words.append(
                "priority=\(task.priority.formatted(.number.locale(Locale(identifier: "en_US_POSIX"))))")
        }
        let guess = task.kind == .upload ? task.clientExpectsToSend : task.clientExpectsToReceive
        if let guess { words.append("guess=\(guess)") }
        guard let conditions = task.conditions else { return words }
        if conditions.isDiscretionary { words.append("discretionary") }
        if !conditions.allowsExpensiveNetworkAccess { words.append("no-expensive") }
        if !conditions.allowsConstrainedNetworkAccess { words.append("no-constrained") }
        if conditions.timeoutIntervalForResource != URLSessionConfiguration.default.timeoutIntervalForResource
        {
            words.append("timeout=\(Int(min(max(conditions.timeoutIntervalForResource, 0), 1e15)))")
        }
        return words
    }

    private static func reason(_ task: BackgroundTaskStatus, _ now: Date) -> String? {
        if task.isPaused { return nil }
        if let error = task.error { return error.message }
        guard task.state == .waiting, let wait = task.wait else { return nil }
        // What only an event ends is no attempt that failed.
        guard let until = wait.until else { return wait.reason }
        return "\(wait.reason), attempt \(wait.attempt), next in \(seconds(from: now, to: until)) s"
    }

    /// Whole seconds, not negative; of a date that another program sent, and that an Int may not hold.
    private static func seconds(from now: Date, to then: Date) -> Int {
        Int(min(max(then, now), .distantFuture).timeIntervalSince(now).rounded())
    }
}

extension BackgroundTaskStatus {
    /// The name it is known by; a task without a description has none.
    var label: String { name ?? "-" }

    /// A person ended it and kept its bytes: what the next start of it goes on from.
    var isPaused: Bool {
        state == .failed && error?.code == NSURLErrorCancelled && error?.cancelledReason == nil
            && error?.hasResumeData == true
    }
}
