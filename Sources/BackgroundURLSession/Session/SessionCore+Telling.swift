// Whom the messages about a task go to: in a process-bound session the task's own delegate comes before the
// session's, method by method. On the delegate queue.
import Foundation

extension SessionCore {
    /// Calls a method that returns nothing on the first who has it.
    func tell<Delegate>(
        _ task: URLSessionTask, _ type: Delegate.Type, _ call: (URLSession, Delegate) -> Void
    ) {
        tell(ownDelegate(of: task), type, call)
    }

    /// As above, for a task that has let go of its delegate just now.
    func tell<Delegate>(
        _ own: (any URLSessionTaskDelegate)?, _ type: Delegate.Type, _ call: (URLSession, Delegate) -> Void
    ) {
        let (session, delegate) = state.with { ($0.session, $0.delegate) }
        guard let session else { return }
        if let own = own as? Delegate {
            let mark = DefaultMark(own as AnyObject)
            mark.watch { call(session, own) }
            if !mark.isSet { return }
        }
        if let delegate = delegate as? Delegate { DefaultMark.unwatched { call(session, delegate) } }
    }

    /// Puts a question to the first who answers it himself; nil when nobody is there to ask, or the task has ended
    /// meanwhile.
    func ask<Delegate, Answer>(
        _ task: URLSessionTask, _ type: Delegate.Type,
        _ question: @escaping @Sendable (URLSession, Delegate, @escaping @Sendable (Answer) -> Void) -> Void,
        _ take: @escaping @Sendable (Answer?) -> Void
    ) {
        let (session, delegate) = state.with { ($0.session, $0.delegate) }
        guard let session else { return take(nil) }
        let askSession: @Sendable () -> Void = {
            guard let delegate = delegate as? Delegate else { return take(nil) }
            question(session, delegate) { take($0) }
        }
        guard let own = ownDelegate(of: task) as? Delegate else { return askSession() }
        let mark = DefaultMark(own as AnyObject)
        mark.watch {
            question(session, own) { [deliveries] answer in
                guard mark.isSet else { return take(answer) }
                // The default has answered on a thread of its own.
                deliveries.append { task.state == .completed ? take(nil) : askSession() }
            }
        }
    }

    /// Background sessions do not call it: a delegate does not outlive the process.
    func ownDelegate(of task: URLSessionTask) -> (any URLSessionTaskDelegate)? {
        isProcessBound ? task.fields.with { $0.delegate } : nil
    }
}
