// Progress on a terminal, a bar a transfer, on standard error; nothing at all when that is piped. Any thread.
import Foundation

final class ProgressBars: @unchecked Sendable {
    // Unchecked: everything below is guarded by `lock`.
    private struct Bar {
        var name: String
        var done: Int64
        var total: Int64?
    }

    private static let shortestPause = 0.1
    private static let width = 24

    private let lock = NSLock()
    private let isShown = Output.isTerminal
    private var bars: [Int: Bar] = [:]
    private var drawn = 0
    private var lastDrawing = Date.distantPast

    func update(_ task: Int, name: String, done: Int64, total: Int64) {
        guard isShown else { return }
        lock.withLock {
            bars[task] = Bar(name: name, done: done, total: total > 0 ? total : nil)
            guard Date().timeIntervalSince(lastDrawing) >= Self.shortestPause else { return }
            redraw()
        }
    }

    func remove(_ task: Int) {
        guard isShown else { return }
        lock.withLock {
            bars[task] = nil
            redraw()
        }
    }

    /// Runs `body`, which prints, on a screen without bars, and draws them again below.
    func aside(_ body: () -> Void) {
        lock.withLock {
            erase()
            body()
            if isShown { redraw() }
        }
    }

    private func redraw() {
        erase()
        lastDrawing = Date()
        let text = bars.sorted { $0.key < $1.key }.map { Self.line($0.value) + "\n" }.joined()
        drawn = bars.count
        Stream.people.write(text)
    }

    private func erase() {
        guard drawn > 0 else { return }
        // Up to the first bar, and clear from there on.
        Stream.people.write("\u{1B}[\(drawn)A\r\u{1B}[J")
        drawn = 0
    }

    private static func line(_ bar: Bar) -> String {
        let name = String(Output.oneLine(bar.name).prefix(30))
        guard let total = bar.total else {
            // An unknown length is shown as unknown, never as a made-up percentage.
            return "\(name)  \(bar.done.formatted()) bytes of an unknown number"
        }
        let share = min(1, Double(bar.done) / Double(total))
        let filled = Int(share * Double(width))
        let picture = String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
        return
            "\(name)  [\(picture)] \(Int(share * 100)) %  \(bar.done.formatted()) of \(total.formatted()) bytes"
    }
}
