// Holds a body to a number of bytes per second. libcurl's own limit looks only once in a hundred buffers,
// which lets a megabyte and a half through at once. A pure value: the transfer pauses by its word.
import Foundation

struct ReceiveLimit {
    private let bytesPerSecond: Double
    /// When the bytes taken so far have been paid for.
    private(set) var opensAt = 0.0

    init(bytesPerSecond: Int) { self.bytesPerSecond = Double(max(1, bytesPerSecond)) }

    func admits(_ now: Double) -> Bool { now >= opensAt }

    mutating func take(_ count: Int, _ now: Double) {
        opensAt = max(opensAt, now) + Double(count) / bytesPerSecond
    }
}
