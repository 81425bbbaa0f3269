// Making a task unless the session has one of its description: the service decides, so that this one waits for
// its word, which other makings do not.
import Foundation
import TransferProtocol

extension SessionCore {
    /// - Parameter done: on a thread of the link's own; the task when it was made, else the identifier of the one
    ///   that was there.
    func enqueueMissing(
        _ request: URLRequest, description: String, resumeData: Data?,
        _ done: @escaping @Sendable (Result<URLSession.EnqueueOutcome, ServiceError>) -> Void
    ) {
        let making = beginMaking()
        if let refusal = making.failure ?? RequestRecord.objection(to: request) {
            endMaking()
            return done(.failure(.refused(message: refusal.message)))
        }
        var call = CreateTask(
            identifier: making.identifier, token: Self.token(), kind: .download,
            request: RequestRecord(request))
        call.description = description
        call.resumeData = resumeData
        var fields = TaskFields(kind: .download, request: request)
        fields.description = description
        fields.isInService = true
        fields.isProvisional = true
        fields.wasResumed = true
        fields.suspensions = 0
        fields.state = .running
        let task = URLSessionDownloadTask(core: self, identifier: making.identifier, fields: fields)
        // Before its first news can come.
        keep(task)
        link.send(EnqueueMissing(task: call)) { [self] result in
            switch result {
            case .success(let answer):
                guard let existing = answer.existing else {
                    task.fields.with { $0.isProvisional = false }
                    return done(.success(.queued(task)))
                }
                forget(task)
                done(.success(.exists(taskIdentifier: existing)))
            case .failure(let failure):
                forget(task)
                done(.failure(ServiceError(failure)))
            }
        }
        endMaking()
    }

    /// It was never in the service: nothing of it will come.
    private func forget(_ task: URLSessionTask) {
        state.with { $0.forget(task) }
        settleInvalidation()
    }
}
