// What a transfer machine wants done. The scheduler does it, in order.
import TransferProtocol
import TransferStore

/// What to do, in order.
enum TransferAction: Equatable, Sendable {
    /// Write the record.
    case save
    /// It wants a connection.
    case enqueue
    case start(AttemptPlan)
    /// Ask the owner.
    case ask
    /// Ask the owner once more whether to begin: an earlier service was gone before it had answered.
    case askToBegin
    case pauseAttempt
    case unpauseAttempt
    case stopAttempt
    /// Its connection is free for another task.
    case releaseConnection
    /// Send `.retryDue` after so many seconds.
    case retryAfter(Double)
    /// Begin with a new body file. The old one may be an owner's by now, under another name.
    case dropBody
    /// Keep the body file for resume data, under the task's token.
    case keepBody
    case removeBody
    /// Bytes of an ended task did not survive a crash of the machine: its events are void.
    case retractEvents
    case post(TaskEvent)
    /// Tell an owner that is there.
    case report
}
