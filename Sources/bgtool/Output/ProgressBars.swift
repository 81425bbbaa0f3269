// Progress on a terminal, a bar a transfer and one for all, on standard error; nothing at all when that is piped.
// Any thread.
import Downloads
import Foundation

final class ProgressBars: @unchecked Sendable {
    // Unchecked: everything below is guarded by `lock`.
    private static let shortestPause = 0.1
    private static let width = 24

    private let lock = NSLock()
    private let isShown = Output.isTerminal
    /// The names of those that are shown.
    private var names: [Int: String] = [:]
    /// Also those that have ended, so that what is done of all does not shrink.
    private var board = ProgressBoard()
    private var drawn = 0
    private var lastDrawing = Date.distantPast

    func update(_ task: Int, name: String, done: Int64, total: Int64) {
        guard isShown else { return }
        lock.withLock {
            names[task] = name
            board.note("\(task)", done: done, total: total > 0 ? total : -1)
            guard Date().timeIntervalSince(lastDrawing) >= Self.shortestPause else { return }
            redraw()
        }
    }

    /// Draws what the last updates were too close together for.
    func draw() {
        guard isShown else { return }
        lock.withLock { redraw() }
    }

    /// - Parameter hasArrived: what it came to counts on in the sum of all.
    func remove(_ task: Int, hasArrived: Bool = true) {
        guard isShown else { return }
        lock.withLock {
            names[task] = nil
            if let amount = board.each["\(task)"], hasArrived {
                board.note("\(task)", done: amount.total ?? amount.done, total: amount.total ?? amount.done)
            } else {
                board.remove("\(task)")
            }
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
        var lines = names.sorted { $0.key < $1.key }.compactMap { task, name in
            board.each["\(task)"].map { Self.line(Output.oneLine(name), $0) }
        }
        if names.count > 1 { lines.append(Self.line("all \(board.each.count)", board.whole)) }
        drawn = lines.count
        Stream.people.write(lines.map { $0 + "\n" }.joined())
    }

    private func erase() {
        guard drawn > 0 else { return }
        // Up to the first bar, and clear from there on.
        Stream.people.write("\u{1B}[\(drawn)A\r\u{1B}[J")
        drawn = 0
    }

    private static func line(_ name: String, _ amount: ProgressBoard.Amount) -> String {
        let name = String(name.prefix(30))
        guard let total = amount.total, let share = amount.fraction else {
            // An unknown length is shown as unknown, never as a made-up percentage.
            return "\(name)  \(amount.done.formatted()) bytes of an unknown number"
        }
        let filled = Int(share * Double(width))
        let picture = String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
        return
            "\(name)  [\(picture)] \(Int(share * 100)) %  \(amount.done.formatted()) of \(total.formatted()) bytes"
    }
}
