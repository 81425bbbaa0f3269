// The rows that were written or read last, as values: a task in the middle of its life is asked for at every
// step, and decoding and encoding its row each time costs more than the step. Never ahead of the database: whoever rolls
// back forgets all of it. On the store's queue, like the rest.

struct RecentTasks {
    /// Each generation holds so many, of some kilobytes each; what was not used for a whole one goes with it. More
    /// than an owner may have unacknowledged (64), and run at once.
    private static let generation = 128

    private struct Name: Hashable {
        var session: Int64
        var identifier: Int
    }

    private struct Entry {
        var task: TaskRecord
        /// Nil for a task that was only read.
        var details: EncodedDetails?
    }

    private var young: [Int64: Entry] = [:]
    private var old: [Int64: Entry] = [:]
    private var keys: [Name: Int64] = [:]

    mutating func task(key: Int64) -> TaskRecord? { entry(key)?.task }

    mutating func task(session: Int64, identifier: Int) -> TaskRecord? {
        keys[Name(session: session, identifier: identifier)].flatMap { task(key: $0) }
    }

    /// What was written of it last.
    mutating func details(key: Int64) -> EncodedDetails? { entry(key)?.details }

    mutating func keep(_ task: TaskRecord, _ details: EncodedDetails? = nil) {
        put(Entry(task: task, details: details))
    }

    mutating func change(key: Int64, _ body: (inout TaskRecord) -> Void) {
        guard var entry = entry(key) else { return }
        body(&entry.task)
        put(entry)
    }

    mutating func forget(key: Int64) {
        guard let task = (young.removeValue(forKey: key) ?? old[key])?.task else { return }
        old[key] = nil
        keys[Name(session: task.session, identifier: task.identifier)] = nil
    }

    private mutating func entry(_ key: Int64) -> Entry? {
        if let entry = young[key] { return entry }
        guard let entry = old[key] else { return nil }
        put(entry)
        return entry
    }

    private mutating func put(_ entry: Entry) {
        let task = entry.task
        if young.count >= Self.generation, young[task.key] == nil { age() }
        young[task.key] = entry
        keys[Name(session: task.session, identifier: task.identifier)] = task.key
    }

    mutating func forgetAll() { self = RecentTasks() }

    private mutating func age() {
        for (key, entry) in old where young[key] == nil {
            keys[Name(session: entry.task.session, identifier: entry.task.identifier)] = nil
        }
        old = young
        young = [:]
    }
}
