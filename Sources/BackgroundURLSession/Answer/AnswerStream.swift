// The answer of one task that is read as it comes: its head is shown, then its body piece by piece, each asked
// for when the one before has been dealt with, and the task ends after the last of them.
import Foundation
import FoundationNetworking
import TransferProtocol

final class AnswerStream: @unchecked Sendable {
    // Unchecked: what changes is in `state`.
    private let core: SessionCore
    private let source: any BodySource
    private let state: Guarded<State>

    private struct State {
        weak var task: URLSessionTask?
        var phase = Phase.unanswered
        /// For a completion handler.
        var collected = Data()
        /// For a task that became a download.
        var file: AnswerFile?
        /// The task's end, which waits for the body's.
        var finish: Finish?
    }

    /// Ends the task, on the delegate queue; with a reason in the place of its own end, if one is given.
    typealias Finish = @Sendable (_ instead: ErrorRecord?) -> Void

    private enum Phase {
        case unanswered
        /// The delegate has the head, and has not decided.
        case shown
        case reading
        /// The body has ended.
        case drained
        case over
    }

    init(core: SessionCore, task: URLSessionTask, source: any BodySource) {
        self.core = core
        self.source = source
        state = Guarded(State(task: task))
    }

    // MARK: News, from the link's thread or a protocol's

    /// The head is known; said as often as one likes.
    func answered() {
        let isNew = state.with { state in
            guard state.phase == .unanswered else { return false }
            state.phase = .shown
            return true
        }
        if isNew { core.deliveries.append { self.show() } }
    }

    /// The task has ended: `finish` follows the body's last piece on the delegate queue, or comes at once when
    /// there is no body or nobody wants it any more.
    func ended(_ error: ErrorRecord?, _ finish: @escaping Finish) {
        let isCancelledHere = state.with { $0.task }?.state == .canceling
        let isCancelled = error?.code == ErrorCode.cancelled || isCancelledHere
        let isOver = state.with { state in
            guard !isCancelled, state.phase == .shown || state.phase == .reading else {
                state.phase = .over
                return true
            }
            state.finish = finish
            return false
        }
        // It may have succeeded meanwhile, or failed otherwise; an app that cancelled hears -999.
        guard isOver else { return }
        endNow(isCancelled && error?.code != ErrorCode.cancelled ? .cancelled : nil, finish)
    }

    /// The app has cancelled the task. One whose end only waits for its body ends now.
    func cancelled() {
        let finish = state.with { state in
            defer { state.finish = nil }
            if state.finish != nil { state.phase = .over }
            return state.finish
        }
        if let finish { endNow(.cancelled, finish) }
    }

    private func endNow(_ instead: ErrorRecord?, _ finish: @escaping Finish) {
        core.deliveries.append { finish(instead) }
    }

    /// The task is over: nothing more of the body is wanted.
    func close() {
        state.with { $0.phase = .over }
        source.close()
    }

    /// What a completion handler gets.
    var collected: Data { state.with { $0.collected } }

    /// The file of a task that became a download; nil for any other.
    var file: AnswerFile? { state.with { $0.file } }

    // MARK: The head, on the delegate queue

    private func show() {
        guard let task = state.with({ $0.task }), task.state != .completed, let response = task.response
        else { return }
        switch task.fields.with({ $0.recipient }) {
        case .data: decide(.allow)
        case .bytes(let gate):
            begin()
            gate.begin(self, response)
        case .file: becomeFile()
        case .delegate:
            guard let dataTask = task as? URLSessionDataTask else { return becomeFile() }
            core.ask(
                dataTask, (any URLSessionDataDelegate).self,
                { session, delegate, answer in
                    delegate.urlSession(
                        session, dataTask: dataTask, didReceive: response, completionHandler: answer)
                }, { self.decide($0 ?? .allow) })
        }
    }

    /// Any thread. Only the first word counts.
    private func decide(_ disposition: URLSession.ResponseDisposition) {
        guard state.with({ $0.phase == .shown }), let task = state.with({ $0.task }) else { return }
        switch disposition {
        case .allow:
            begin()
            pull()
        case .cancel: core.cancel(task)
        case .becomeDownload: becomeDownload(task)
        case .becomeStream:
            core.cancel(
                task,
                because: ErrorRecord(
                    ErrorCode.unknown,
                    "A data task cannot become a stream task on Linux: answer .allow, or use bytes(for:)."))
        }
    }

    private func begin() {
        state.with { if $0.phase == .shown { $0.phase = .reading } }
    }

    // MARK: The body

    /// Asks for the next piece and deals with it on the delegate queue, and so on to the end.
    private func pull() {
        next { piece in
            self.core.deliveries.append {
                self.take(piece)
                self.pull()
            }
        }
    }

    /// Asks for the next piece; at the end `take` is not called, and the task's end follows.
    func next(_ take: @escaping @Sendable (Data) -> Void) {
        guard state.with({ $0.phase == .reading }) else { return }
        source.next { piece in
            if let piece { take(piece) } else { self.drained() }
        }
    }

    private func take(_ piece: Data) {
        guard state.with({ $0.phase == .reading }), let task = state.with({ $0.task }) else { return }
        if let file {
            if let failure = file.append(piece) { core.cancel(task, because: failure) }
            return
        }
        switch task.fields.with({ $0.recipient }) {
        case .delegate:
            guard let dataTask = task as? URLSessionDataTask else { return }
            core.tell(task, (any URLSessionDataDelegate).self) { session, delegate in
                delegate.urlSession(session, dataTask: dataTask, didReceive: piece)
            }
        case .data: state.with { $0.collected.append(piece) }
        case .file, .bytes: break
        }
    }

    private func drained() {
        let finish = state.with { state -> Finish? in
            guard state.phase == .reading else { return nil }
            state.phase = .drained
            defer { state.finish = nil }
            return state.finish
        }
        if let finish { endNow(nil, finish) }
    }

    // MARK: Becoming a download

    private func becomeFile() {
        switch AnswerFile.make(in: core.access.home) {
        case .success(let file):
            state.with { $0.file = file }
            begin()
            pull()
        case .failure(let error):
            if let task = state.with({ $0.task }) { core.cancel(task, because: error) }
        }
    }

    /// A new task with the old one's identifier takes over; the old one says nothing more.
    private func becomeDownload(_ task: URLSessionTask) {
        guard let dataTask = task as? URLSessionDataTask else { return }
        let download = core.replace(dataTask)
        state.with { $0.task = download }
        core.deliveries.append { [core] in
            core.tell(download, (any URLSessionDataDelegate).self) { session, delegate in
                delegate.urlSession(session, dataTask: dataTask, didBecome: download)
            }
        }
        becomeFile()
    }
}
