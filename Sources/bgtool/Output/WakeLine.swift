// A session's wakes as one line of `bgtool status --all`. Pure.
import BackgroundURLSession
import Foundation

enum WakeLine {
    /// `wakes SESSION client=NAME started=3 last=closed next=now`, and what is known of a bad one.
    static func text(_ session: BackgroundSessionStatus, now: Date = Date()) -> String? {
        guard let wake = session.wake else { return nil }
        let next = wake.next.map { "\(Int(max(0, $0.timeIntervalSince(now)).rounded(.up)))s" } ?? "now"
        let line =
            "wakes \(session.identifier) client=\(session.client) started=\(wake.launches) "
            + "last=\(wake.outcome ?? "none") next=\(next)"
        return wake.detail.map { "\(line) \($0)" } ?? line
    }
}
