// The calls that have not been answered, in the order in which they were made. A value; the link guards it.
import Foundation
import TransferProtocol

struct CallBook {
    struct Entry {
        var line: Data
        /// Changes something, so that leaving the process waits for its answer.
        var isCommand: Bool
        /// Hears of the answer before its contents are read.
        var coming: (@Sendable (IncomingMessage) -> Void)?
        /// Nil in place of a line: the link has failed.
        var answer: @Sendable (Result<Data, LinkFailure>) -> Void
    }

    private var entries: [Int: Entry] = [:]
    private(set) var unansweredCommands = 0
    private var lastID = 0

    /// The next identifier; they rise, so that their order is the calls' order.
    mutating func nextID() -> Int {
        lastID += 1
        return lastID
    }

    mutating func add(_ entry: Entry, id: Int) {
        entries[id] = entry
        if entry.isCommand { unansweredCommands += 1 }
    }

    mutating func take(_ id: Int) -> Entry? {
        guard let entry = entries.removeValue(forKey: id) else { return nil }
        if entry.isCommand { unansweredCommands -= 1 }
        return entry
    }

    mutating func takeAll() -> [Entry] {
        let all = entries.sorted { $0.key < $1.key }.map(\.value)
        entries = [:]
        unansweredCommands = 0
        return all
    }

    /// What a new connection must hear again.
    var lines: [Data] { entries.sorted { $0.key < $1.key }.map(\.value.line) }
}
