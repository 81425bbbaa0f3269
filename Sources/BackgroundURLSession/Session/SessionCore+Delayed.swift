// Asks the delegate about a task whose begin date has come. The answer may come at any time, from any thread;
// until then the service lets the task wait.
import Foundation
import TransferProtocol

extension SessionCore {
    func linkDidAsk(_ question: AskToBegin) {
        let (isNew, task) = state.with {
            ($0.beginning.insert(question.identifier).inserted, $0.tasks[question.identifier])
        }
        guard isNew else { return }
        if let task { return ask(question, task) }
        // A task of an earlier process that nothing has been heard of.
        aside { [self] in
            listSnapshots { [self] snapshots in
                let snapshot = snapshots.first { $0.identifier == question.identifier }
                guard let task = snapshot.flatMap(object) else { return aside { self.answer(question, nil) } }
                ask(question, task)
            }
        }
    }

    private func ask(_ question: AskToBegin, _ task: URLSessionTask) {
        deliveries.append { [self] in
            guard task.state != .completed, let request = task.originalRequest else {
                return answer(question, nil)
            }
            ask(task, (any URLSessionTaskDelegate).self) { session, delegate, take in
                delegate.urlSession(session, task: task, willBeginDelayedRequest: request) { take(($0, $1)) }
            } _: { [self] (said: (URLSession.DelayedRequestDisposition, URLRequest?)?) in
                take(said?.0 ?? .continueLoading, said?.1, question, task)
            }
        }
    }

    private func take(
        _ disposition: URLSession.DelayedRequestDisposition, _ request: URLRequest?, _ question: AskToBegin,
        _ task: URLSessionTask
    ) {
        switch disposition {
        case .continueLoading: answer(question, nil)
        case .cancel:
            state.with { _ = $0.beginning.remove(question.identifier) }
            task.cancel()
        case .useNewRequest:
            // Without one, as without an address, there is nothing better than the original.
            guard let request, RequestRecord.objection(to: request) == nil else {
                return answer(question, nil)
            }
            task.fields.with { $0.currentRequest = request }
            answer(
                question, RequestRecord(request, defaultMethod: task is URLSessionUploadTask ? "POST" : "GET")
            )
        }
    }

    private func answer(_ question: AskToBegin, _ request: RequestRecord?) {
        state.with { _ = $0.beginning.remove(question.identifier) }
        link.send(BeginTask(identifier: question.identifier, request: request)) { _ in }
    }
}
