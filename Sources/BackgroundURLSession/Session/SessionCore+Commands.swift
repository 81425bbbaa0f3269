// What an app does with a task, decided here and written to the service. A command goes out only when it
// changes what should be: the service never has to count.
import Foundation
import TransferProtocol

extension SessionCore {
    private enum Step {
        case nothing
        case send
        case end(ErrorRecord)
    }

    func resume(_ task: URLSessionTask) {
        task.commands.lock()
        defer { task.commands.unlock() }
        let step = task.fields.with { fields -> Step in
            guard fields.state == .suspended else { return .nothing }
            fields.suspensions -= 1
            guard fields.suspensions == 0 else { return .nothing }
            fields.state = .running
            fields.wasResumed = true
            if let failure = fields.failure { return .end(failure) }
            return .send
        }
        switch step {
        case .nothing: break
        case .end(let error): end(task, error)
        case .send: begin(task)
        }
    }

    /// With `commands` held: has the task answered by whoever is to answer it.
    private func begin(_ task: URLSessionTask) {
        let (load, deferred) = task.fields.with { fields in
            defer { fields.deferred = nil }
            return (fields.load, fields.deferred)
        }
        if let load { return load.start() }
        if let deferred { return spool(deferred, for: task) }
        // A body that is still being read resumes its task when it is.
        if task.fields.with({ $0.isInService }) { sendResume(task) }
    }

    func sendResume(_ task: URLSessionTask) {
        link.send(ResumeTask(identifier: task.taskIdentifier)) { [self] result in
            check(result, task) { fail(task, $0) }
        }
    }

    func suspend(_ task: URLSessionTask) {
        task.commands.lock()
        defer { task.commands.unlock() }
        let step = task.fields.with { fields -> Step in
            guard fields.state == .suspended || fields.state == .running else { return .nothing }
            fields.suspensions += 1
            guard fields.suspensions == 1 else { return .nothing }
            fields.state = .suspended
            return fields.isInService ? .send : .nothing
        }
        guard case .send = step else { return }
        link.send(SuspendTask(identifier: task.taskIdentifier)) { [self] result in
            check(result, task) { fail(task, $0) }
        }
    }

    func cancel(_ task: URLSessionTask) {
        task.commands.lock()
        defer { task.commands.unlock() }
        switch beginCancelling(task) {
        case .nothing: break
        case .end(let error): end(task, error)
        case .send:
            link.send(CancelTask(identifier: task.taskIdentifier, keeping: false)) { [self] result in
                check(result, task) { _ in end(task, .cancelled) }
            }
            task.fields.with { $0.answer }?.cancelled()
        }
    }

    func cancelKeeping(_ task: URLSessionTask, _ handler: @escaping @Sendable (Data?) -> Void) {
        task.commands.lock()
        defer { task.commands.unlock() }
        switch beginCancelling(task) {
        case .nothing: handler(nil)
        case .end(let error):
            end(task, error)
            handler(nil)
        case .send:
            link.send(CancelTask(identifier: task.taskIdentifier, keeping: true)) { [self] result in
                check(result, task) { _ in end(task, .cancelled) }
                handler((try? result.get())?.resumeData)
            }
        }
    }

    /// As `cancel`, for a reason that the delegate hears in place of -999.
    func cancel(_ task: URLSessionTask, because reason: ErrorRecord) {
        task.fields.with { $0.endReason = $0.endReason ?? reason }
        cancel(task)
    }

    private func beginCancelling(_ task: URLSessionTask) -> Step {
        task.fields.with { fields in
            guard fields.state == .suspended || fields.state == .running else { return .nothing }
            // A session that is being cancelled finds it in the service's list once it was made.
            if fields.isProvisional { return .nothing }
            // A failure that is already on its way to the delegate is the task's end.
            if fields.failure != nil, fields.wasResumed { return .nothing }
            fields.state = .canceling
            return fields.isInService && fields.failure == nil ? .send : .end(.cancelled)
        }
    }

    /// Changes something that is the app's to decide, here and in the service.
    func update(
        _ task: URLSessionTask, change: (inout TaskFields) -> Void, message: (inout UpdateTask) -> Void
    ) {
        task.commands.lock()
        defer { task.commands.unlock() }
        let isSent = task.fields.with { fields in
            change(&fields)
            fields.showProgress()
            return fields.isInService && fields.state != .completed
        }
        guard isSent else { return }
        var call = UpdateTask(identifier: task.taskIdentifier)
        message(&call)
        link.send(call) { [self] result in
            check(result, task) { _ in }
        }
    }

    /// Notes a refusal, and lets a task end that the service does not know (any more).
    private func check<Value>(
        _ result: Result<Value, LinkFailure>, _ task: URLSessionTask, ifUnknown: (ErrorRecord) -> Void
    ) {
        guard case .failure(.refused(let error)) = result else { return }
        // A task that has ended here had its last word; its command was merely late.
        guard task.fields.with({ $0.state != .completed }) else { return }
        guard error.data?.reason == .noSuchTask else {
            return note(refusal: .refused(message: error.message))
        }
        // The task itself says this one, as its error.
        ifUnknown(
            ErrorRecord(
                ErrorCode.backgroundSessionDisconnected,
                "The transfer service no longer has this task: another process has heard its end, or somebody "
                    + "removed it."))
    }

    /// Lets a task fail: now if it was resumed, else when it is. One that nobody has been given yet does not.
    func fail(_ task: URLSessionTask, _ error: ErrorRecord) {
        if task.fields.with({ $0.isProvisional }) { return }
        let now = task.fields.with { fields -> ErrorRecord? in
            if fields.failure == nil { fields.failure = error }
            if fields.state == .canceling { return .cancelled }
            return fields.wasResumed ? error : nil
        }
        if let now { return end(task, now) }
        // Nothing but the app's `resume()` brings its end, and the session's end does not wait for that.
        state.with { $0.forget(task) }
        settleInvalidation()
    }

    /// Ends a task from this side, through the delegate queue as every end.
    func end(_ task: URLSessionTask, _ error: ErrorRecord) {
        deliveries.append { self.complete(task, error) }
    }

    /// Calls back when nothing is left of what servers gave and were given.
    func reset(_ done: @escaping @Sendable () -> Void) {
        credentials?.removeAll()
        cookies?.removeAll()
        link.send(ResetSession()) { _ in done() }
    }

    /// Answered when everything sent before is on disk; with what was refused meanwhile, if anything was.
    func flush(_ done: @escaping @Sendable (Result<Void, ServiceError>) -> Void) {
        link.send(Flush()) { [self] result in
            let refusal = state.with { state in
                defer { state.refusal = nil }
                return state.refusal
            }
            switch result {
            case .success: done(refusal.map { .failure($0) } ?? .success(()))
            case .failure(let failure): done(.failure(ServiceError(failure)))
            }
        }
    }
}
