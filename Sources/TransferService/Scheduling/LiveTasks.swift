// The tasks that have a connection, or are about to have one. A task's place in the limits is taken as it
// comes in here and given back as it goes out, nowhere else. What a turn changed can be undone: when its
// commit fails, memory must not be ahead of the disk.
import HTTPEngine
import TransferStore

struct LiveTasks {
    struct Live: Sendable {
        var machine: TransferMachine
        var transfer: TransferID?
        var plan: AttemptPlan = .whole
        /// What the attempt went out with.
        var credential: EngineCredential?
        var asks = AskRule()
        /// What the app's own fields ask for.
        var own = OwnConditions()
    }

    private(set) var admission: Admission
    private var tasks: [Int64: Live] = [:]
    private var keys: [TransferID: Int64] = [:]
    /// What the tasks of this turn were when it began; nil for those that were not here.
    private var before: [Int64: Live?] = [:]

    init(limit: Int = Admission.totalLimit) { admission = Admission(limit: limit) }

    subscript(key: Int64) -> Live? {
        get { tasks[key] }
        set {
            if before[key] == nil { before.updateValue(tasks[key], forKey: key) }
            put(newValue, key)
        }
    }

    /// The task whose attempt that is.
    func key(of transfer: TransferID) -> Int64? { keys[transfer] }

    var count: Int { tasks.count }

    /// Those that move bytes, or would: a suspended one may wait for ever.
    var movingCount: Int { tasks.values.count { !$0.machine.task.isPaused } }

    /// Counters move too often to be worth undoing.
    mutating func count(_ progress: TransferProgress) -> TaskRecord? {
        guard let key = keys[progress.id] else { return nil }
        tasks[key]?.machine.count(received: progress.bodyLength, sent: progress.sent)
        return tasks[key]?.machine.task
    }

    mutating func mayStart(lane: String, limit: Int) -> Bool { admission.mayStart(lane: lane, limit: limit) }

    /// Which suspended task is to give up its connection when somebody waits only because everything is full: the
    /// oldest one, and one after another.
    var nextToGiveWay: Int64? {
        guard admission.isStarving else { return nil }
        let suspended = tasks.filter { $0.value.machine.task.isPaused }
        guard !suspended.values.contains(where: \.machine.isBeingInterrupted) else { return nil }
        return suspended.keys.min()
    }

    mutating func starvedLanes() -> Set<String> { admission.starvedLanes() }

    // MARK: Turns

    /// What was changed so far is on disk.
    mutating func settle() { before = [:] }

    /// What was changed since is void.
    mutating func undo() {
        for (key, live) in before { put(live, key) }
        before = [:]
    }

    private mutating func put(_ live: Live?, _ key: Int64) {
        if let old = tasks[key] {
            admission.release(lane: old.machine.task.lane, isPaused: old.machine.task.isPaused)
            if let transfer = old.transfer { keys[transfer] = nil }
        }
        tasks[key] = live
        if let live {
            admission.take(lane: live.machine.task.lane, isPaused: live.machine.task.isPaused)
            if let transfer = live.transfer { keys[transfer] = key }
        }
    }
}
