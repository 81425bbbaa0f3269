// The rows that were written or read last, as values: a task in the middle of its life is asked for at every
// step, and decoding its row each time costs more than the step. Never ahead of the database: whoever rolls
// back forgets all of it. On the store's queue, like the rest.

struct RecentTasks {
    /// Each generation holds so many; what was not used for a whole one goes with it.
    private static let generation = 512

    private struct Name: Hashable {
        var session: Int64
        var identifier: Int
    }

    private var young: [Int64: TaskRecord] = [:]
    private var old: [Int64: TaskRecord] = [:]
    private var keys: [Name: Int64] = [:]

    mutating func task(key: Int64) -> TaskRecord? {
        if let task = young[key] { return task }
        guard let task = old[key] else { return nil }
        keep(task)
        return task
    }

    mutating func task(session: Int64, identifier: Int) -> TaskRecord? {
        keys[Name(session: session, identifier: identifier)].flatMap { task(key: $0) }
    }

    mutating func keep(_ task: TaskRecord) {
        if young.count >= Self.generation, young[task.key] == nil { age() }
        young[task.key] = task
        keys[Name(session: task.session, identifier: task.identifier)] = task.key
    }

    mutating func change(key: Int64, _ body: (inout TaskRecord) -> Void) {
        guard var task = task(key: key) else { return }
        body(&task)
        keep(task)
    }

    mutating func forget(key: Int64) {
        guard let task = young.removeValue(forKey: key) ?? old[key] else { return }
        old[key] = nil
        keys[Name(session: task.session, identifier: task.identifier)] = nil
    }

    mutating func forgetAll() { self = RecentTasks() }

    private mutating func age() {
        for (key, task) in old where young[key] == nil {
            keys[Name(session: task.session, identifier: task.identifier)] = nil
        }
        old = young
        young = [:]
    }
}
