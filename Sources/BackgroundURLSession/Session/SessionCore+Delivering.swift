// From the service's news to the delegate's calls. News arrives on the link's thread, brings the task objects
// up to date, and is put in line for the delegate queue; an event is acknowledged when the delegate returned.
import Foundation
import TransferProtocol

extension SessionCore: SessionLinkListener {
    func linkDidAttach(_ result: AttachSession.Result, again: Bool) {
        let isOver = state.with { state in
            state.nextIdentifier = max(state.nextIdentifier, result.nextTaskIdentifier)
            if !again { state.waitingAtAttach = result.waitingEvents }
            return state.endOfEvents.attached(waiting: result.waitingEvents, again: again)
        }
        if isOver { tellEndOfEvents() }
        // A new process has no objects yet that could be behind; they are made when something is heard of them.
        if purpose == .own, again { synchronise(again: true) }
    }

    func linkDidFail(_ error: ServiceError) {
        let record = ErrorRecord(error)
        for task in state.with({ Array($0.tasks.values) }) { fail(task, record) }
        settleInvalidation()
    }

    func linkDidReceive(_ report: ReportTask) {
        guard !report.task.state.isEnded, let task = object(for: report.task) else { return }
        if report.task.response != nil { task.fields.with { $0.answer }?.answered() }
        guard task.fields.with({ $0.beginsToWait(report.task) }) else { return }
        deliveries.append { [self] in
            guard task.state != .completed else { return }
            tell(task, (any URLSessionTaskDelegate).self) {
                $1.urlSession($0, taskIsWaitingForConnectivity: task)
            }
        }
    }

    func linkDidReceive(_ progress: ReportProgress) {
        for note in progress.tasks {
            guard let task = state.with({ $0.tasks[note.identifier] }) else {
                listOnce()
                continue
            }
            guard task.fields.with({ $0.take(note) }) else { continue }
            deliveries.append { self.tellNews(of: self.successor(of: task)) }
        }
    }

    /// A task of an earlier process moves: its object is made, and those of the others that may.
    private func listOnce() {
        let isFirst = state.with { state in
            defer { state.hasListed = true }
            return !state.hasListed
        }
        if isFirst { synchronise(again: false) }
    }

    func linkDidFinishEvents() {
        if state.with({ $0.endOfEvents.finished() }) { tellEndOfEvents() }
    }

    private func tellEndOfEvents() {
        deliveries.append { [self] in
            guard let (session, delegate) = audience((any URLSessionDelegate).self) else { return }
            delegate.urlSessionDidFinishEvents(forBackgroundURLSession: session)
        }
    }

    func linkDidReceive(_ note: DeliverEvent) {
        switch state.with({ $0.events.receive(note.key) }) {
        case .ignore: break
        case .acknowledgeAgain: aside { self.link.notify(AcknowledgeEvent(sequence: note.sequence)) }
        case .withholdAgain: withhold(note)
        case .deliver:
            // A task that ended here, by a lost service, has had its last word; its result is left for the
            // next process.
            guard let task = object(for: note.task) else {
                state.with { $0.events.didKeep(note.key) }
                return withhold(note)
            }
            guard case .completed(let error) = note.event, let answer = task.fields.with({ $0.answer }) else {
                return deliveries.append { self.deliver(note, to: task) }
            }
            // The end comes after the body's last piece.
            if note.task.response != nil { answer.answered() }
            answer.ended(error) { self.deliver(note, to: self.successor(of: task), instead: $0) }
        }
    }

    /// The download that a data task became while something for it stood in line; else the task itself.
    func successor(of task: URLSessionTask) -> URLSessionTask {
        state.with { $0.tasks[task.taskIdentifier] } ?? task
    }

    /// The service keeps the event, and goes on with those behind it.
    private func withhold(_ note: DeliverEvent) {
        aside { self.link.notify(AcknowledgeEvent(sequence: note.sequence, withheld: true)) }
    }

    /// On the delegate queue.
    /// - Parameter instead: what the task ends with in the place of what the service says.
    private func deliver(_ note: DeliverEvent, to task: URLSessionTask, instead: ErrorRecord? = nil) {
        var isDealtWith = task.state != .completed
        if isDealtWith {
            switch note.event {
            case .resumed(let offset, let expected): tellContinued(task, offset, expected)
            case .downloaded(let path, _): tellDownloaded(task, path)
            case .answered(let path, _): isDealtWith = tellAnswered(task, path)
            case .completed(let own):
                let error = instead ?? own
                // The last bytes are news too, unless the task failed.
                if error == nil { tellAllNews(of: task) }
                complete(task, error, note.task.metrics)
            }
        }
        let isKept = task.fields.with { $0.keepsUndelivered } || !isDealtWith
        switch note.event {
        case .answered where !isKept:
            // Its bytes are in the app's memory, where most apps gather them until the task's last word: a
            // process that dies before that has nothing of them, and hears them again in its next life.
            return state.with { $0.answers[task.taskIdentifier] = note }
        case .completed:
            let answer = state.with { $0.answers.removeValue(forKey: task.taskIdentifier) }
            if let answer { acknowledge(answer, isKept: isKept) }
        case .resumed, .downloaded, .answered: break
        }
        acknowledge(note, isKept: isKept)
        settleInvalidation()
    }

    private func acknowledge(_ note: DeliverEvent, isKept: Bool) {
        state.with { isKept ? $0.events.didKeep(note.key) : $0.events.didAcknowledge(note.key) }
        link.notify(AcknowledgeEvent(sequence: note.sequence, withheld: isKept ? true : nil))
    }

    private func tellContinued(_ task: URLSessionTask, _ offset: Int64, _ expected: Int64?) {
        let recipient = task.fields.with { fields in
            fields.continued(at: offset)
            return fields.recipient
        }
        guard recipient.isDelegate, let download = task as? URLSessionDownloadTask else { return }
        tell(task, (any URLSessionDownloadDelegate).self) {
            $1.urlSession(
                $0, downloadTask: download, didResumeAtOffset: offset,
                expectedTotalBytes: expected ?? NSURLSessionTransferSizeUnknown)
        }
    }

    private func tellDownloaded(_ task: URLSessionTask, _ path: String) {
        tellNews(of: task)
        // Gone when the delegate has returned, as on Apple's platforms, whether or not it was moved.
        defer { unlink(path) }
        guard let download = task as? URLSessionDownloadTask else { return }
        let file = URL(fileURLWithPath: path)
        if case .file(let handler) = task.fields.with({ $0.recipient }) {
            // Its one call; the end that follows is nobody's.
            task.fields.with { $0.recipient = .file { _, _, _ in } }
            return handler(file, task.response, nil)
        }
        tell(task, (any URLSessionDownloadDelegate).self) {
            $1.urlSession($0, downloadTask: download, didFinishDownloadingTo: file)
        }
    }

    /// The newest counters, and the file of a download that this process has written.
    func tellAllNews(of task: URLSessionTask) {
        tellNews(of: task)
        if let file = task.fields.with({ $0.answer })?.file { tellDownloaded(task, file.path) }
    }

    /// False when the answer could not be read, so that it is kept.
    private func tellAnswered(_ task: URLSessionTask, _ path: String) -> Bool {
        tellNews(of: task)
        defer { unlink(path) }
        guard let dataTask = task as? URLSessionDataTask else { return true }
        do {
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            while let piece = try file.read(upToCount: 64 << 10), !piece.isEmpty {
                tell(task, (any URLSessionDataDelegate).self) {
                    $1.urlSession($0, dataTask: dataTask, didReceive: piece)
                }
            }
            return true
        } catch {
            Complaint.print(
                "The answer of task \(task.taskIdentifier) could not be read from \(path): \(error)")
            return false
        }
    }

    /// The newest counters, if the delegate has not heard them.
    private func tellNews(of task: URLSessionTask) {
        let news = task.fields.with { $0.news() }
        if news.sent != 0 {
            tell(task, (any URLSessionTaskDelegate).self) {
                $1.urlSession(
                    $0, task: task, didSendBodyData: news.sent, totalBytesSent: news.totalSent,
                    totalBytesExpectedToSend: news.totalExpectedToSend)
            }
        }
        if news.written != 0, let download = task as? URLSessionDownloadTask {
            tell(task, (any URLSessionDownloadDelegate).self) {
                $1.urlSession(
                    $0, downloadTask: download, didWriteData: news.written,
                    totalBytesWritten: news.totalWritten,
                    totalBytesExpectedToWrite: news.totalExpectedToWrite)
            }
        }
    }

    /// On the delegate queue: the task's measurements and its last message. A task that ends on this side
    /// has no requests to tell of.
    func complete(_ task: URLSessionTask, _ error: ErrorRecord?, _ metrics: TaskMetrics? = nil) {
        complete(task, outcome: (task.fields.with { $0.endReason } ?? error)?.asError, metrics)
    }

    func complete(_ task: URLSessionTask, outcome: (any Error)?, _ metrics: TaskMetrics? = nil) {
        let own = ownDelegate(of: task)
        let (answer, recipient) = task.fields.with { ($0.answer, $0.recipient) }
        let metrics = metrics ?? task.fields.with { $0.metricsHere }
        if task.state != .completed {
            tell(own, (any URLSessionTaskDelegate).self) {
                $1.urlSession(
                    $0, task: task,
                    didFinishCollecting: URLSessionTaskMetrics(metrics, request: task.originalRequest))
            }
        }
        guard task.fields.with({ $0.finish(outcome) }) else { return }
        switch recipient {
        case .delegate:
            tell(own, (any URLSessionTaskDelegate).self) {
                $1.urlSession($0, task: task, didCompleteWithError: outcome)
            }
        case .data(let handler):
            handler(outcome == nil ? answer?.collected ?? Data() : nil, task.response, outcome)
        case .file(let handler): handler(nil, task.response, outcome)
        case .bytes(let gate): gate.end(outcome)
        }
        answer?.close()
        let wasInService = task.fields.with { $0.isInService }
        state.with {
            $0.forget(task)
            // The number of any other may be that of an earlier process's task.
            if wasInService { $0.ended.insert(task.taskIdentifier) }
        }
        settleInvalidation()
    }
}

extension DeliverEvent {
    fileprivate var key: EventLedger.Key { EventLedger.Key(sequence: sequence, task: task.identifier) }
}
