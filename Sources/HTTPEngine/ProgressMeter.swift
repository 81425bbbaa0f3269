// Turns the numbers of one transfer into news: only what changed, and never a step back. A pure value; it
// keeps no clock, the engine decides when to ask.
import Foundation

struct ProgressMeter {
    let total: Int64
    private(set) var sent: Int64 = 0
    private var told: TransferProgress?

    init(total: Int64) { self.total = total }

    /// What libcurl wrote to the socket, less what the kernel still holds. True when that is more than
    /// before. libcurl counts from 0 again after a redirect; that is not a step back until it rewinds.
    mutating func measure(written: Int64, unsent: Int64) -> Bool {
        let now = min(total, max(0, written - max(0, unsent)))
        guard now > sent else { return false }
        sent = now
        return true
    }

    mutating func rewind() { sent = 0 }

    mutating func finish() { sent = total }

    /// nil when nothing changed since the last time.
    mutating func news(_ id: TransferID, bodyLength: Int64, expected: Int64?) -> TransferProgress? {
        let now = TransferProgress(
            id: id, bodyLength: bodyLength, expected: expected, sent: sent, sendingTotal: total)
        guard now != told, told != nil || bodyLength > 0 || sent > 0 else { return nil }
        told = now
        return now
    }
}
