// A task as outsiders see it, made from the service's record. Pure.
import TransferProtocol
import TransferStore

extension TaskSnapshot {
    init(_ task: TaskRecord, session: SessionRecord) {
        self.init(
            key: task.key, identifier: task.identifier, client: session.client, session: session.identifier,
            kind: task.kind, state: task.visibleState, wasResumed: task.firstResumed != nil,
            description: task.description, request: task.originalRequest ?? task.request)
        if task.originalRequest != nil { currentRequest = task.request }
        if let response = task.response, response.url != task.request.url {
            // Redirects change the address only: 301–303 on a download stay GET.
            currentRequest = task.request
            currentRequest?.url = response.url
        }
        response = task.response
        source = task.source
        received = task.received
        expected = task.expected
        sent = task.sent
        expectedToSend = task.source?.size
        clientExpectsToSend = task.clientExpectsToSend
        clientExpectsToReceive = task.clientExpectsToReceive
        priority = task.priority
        earliestBeginDate = task.earliestBeginDate
        wait = task.wait
        error = task.error
    }
}

extension TaskRecord {
    var visibleState: TaskState {
        switch phase {
        case .suspended: .suspended
        case .queued: .queued
        case .running: isPaused ? .suspended : .running
        case .canceling: .running
        case .waiting: .waiting
        case .ended: error == nil ? .finished : .failed
        }
    }
}

extension ProgressNote {
    init(_ task: TaskRecord) {
        self.init(
            identifier: task.identifier, received: task.received, expected: task.expected, sent: task.sent,
            expectedToSend: task.source?.size)
    }
}
