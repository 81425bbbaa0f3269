// Who hears what the scheduler has done: the side that speaks to owners.
import TransferStore

/// What the scheduler tells the side that speaks to owners. Called after the commit.
@TransferActor
protocol SchedulerObserver: AnyObject {
    func eventsPosted(session: Int64)
    func taskChanged(_ task: TaskRecord)
    func tasksMoved(_ tasks: [TaskRecord])
    /// Events may have come into the outbox, or could not be delivered: look again.
    func lookAgain()
    func becameQuiet()
    /// Whether the task's owner is there and wants to be asked before it begins.
    func mayAsk(about task: TaskRecord) -> Bool
    func ask(about task: TaskRecord)
    /// A task waits for its session's owner.
    func questionAsked(_ task: TaskRecord)
}

extension SchedulerObserver {
    func mayAsk(about task: TaskRecord) -> Bool { false }
    func ask(about task: TaskRecord) {}
    func questionAsked(_ task: TaskRecord) {}
}
