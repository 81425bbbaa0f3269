// What a transfer machine can hear of: wishes of the app, ends of attempts, words of the owner, conditions.
import TransferProtocol
import TransferStore

/// What happened.
enum TransferInput: Sendable {
    case resume
    case suspend
    /// `keeping`: the app wants resume data. `reason`: why the system cancels; nil when the app does.
    case cancel(keeping: Bool, reason: Int?)
    /// The app resumes it, and the system would not have it.
    case refuse(reason: Int)
    /// A connection is free for it.
    case admitted
    /// The final answer's head, and what it means for the bytes on disk.
    case answered(ResponseRecord, Verdict)
    case attemptEnded(AttemptEnd, sent: Int64, transactions: [TransactionRecord] = [])
    case retryDue
    /// Its date has come, and its owner is asked whether it may begin.
    case asked
    /// It may, with this request if there is one.
    case begins(RequestRecord?)
    /// The machine is in a condition in which the task may not use the network.
    case heldBack(reason: String, isNews: Bool)
    /// It is not any more.
    case letGo
    /// Suspended, and its connection is wanted for others.
    case giveWay
    /// The owner has answered what the task asked.
    case replied(OwnerReply)
    case deadlinePassed
    /// Nobody holds the other end of the task's pipe any more.
    case readerLeft
    /// The service has started and found this record. `isChangedByOwner`: the body that was handed over is
    /// not any more what it was then.
    case recovered(isChangedByOwner: Bool)
    /// So many of the task's events cannot be read any more; `left` are those that can.
    case eventsLost(count: Int, left: [TaskEvent])
}

/// What the owner's word means for the task.
enum OwnerReply: Sendable, Equatable {
    /// The request is made again, otherwise than before.
    case again
    /// What was answered is the answer.
    case deliver
    /// As above, with so many bytes that were kept in memory and go to the task's reader now.
    case handOver(ResponseRecord, length: Int64)
    case end(ErrorRecord)
}

/// How an attempt ended, with the engine's many failures sorted by what they ask for.
enum AttemptEnd: Sendable, Equatable {
    case finished
    /// The judge refused the body; the verdict says what next.
    case refused
    /// On our word.
    case stopped
    /// Trying again may help.
    case lost(code: Int, reason: String)
    /// Trying again cannot help.
    case broken(ErrorRecord)
    /// Only the session's owner can say how to go on.
    case asks(String, QuestionKind)
    /// The same at once, with what is known by now.
    case again
}
