// A session's connection to the service, for as long as the session lives: attaches, reads on a thread of its
// own, and when the service is gone starts it again, attaches again and repeats what was not answered, without
// the session noticing. Repeating is safe: every command says what should be, not what to change.
//
// Two locks. `order` is held while a call is numbered and written, so that calls arrive in the order they were
// made; the reading thread takes it only between connections. `book` guards everything else, briefly.
import Dispatch
import Foundation
import TransferProtocol

final class ServiceLink: SessionLink, @unchecked Sendable {
    // Unchecked: `connection` and `current` are guarded by `order`; `book`, `phase` and `repetitions` by `state`.
    private let greeting: ServiceGreeting
    private let attachment: AttachSession
    private weak var listener: (any SessionLinkListener)?

    private let order = NSLock()
    /// Where calls are written; nil while there is no connection, or while it is not their turn yet.
    private var connection: ServiceConnection?
    /// The connection that the link's thread reads.
    private var current: ServiceConnection?

    private let state = NSCondition()
    private var book = CallBook()
    private var phase = Phase.idle
    private var hasAttachedBefore = false
    /// How often what was not answered has been written to a new connection.
    private var repetitions = 0

    /// Answers that no reading thread can give.
    private static let answers = DispatchQueue(label: "URLSession answers")

    private enum Phase {
        case idle
        case connecting
        case attached
        case failed(ServiceError, at: Date)
        case closed
    }

    init(access: ServiceAccess, client: String, attachment: AttachSession) {
        greeting = ServiceGreeting(access: access, client: client)
        self.attachment = attachment
    }

    /// Starts attaching, on a thread of the link's own.
    func begin(listener: any SessionLinkListener) {
        self.listener = listener
        // What ends with the process need not be on disk.
        if !greeting.access.isHosted { LeavingHook.watch(self) }
        startThread()
    }

    private func startThread() {
        state.lock()
        phase = .connecting
        state.unlock()
        let thread = Thread { self.run() }
        thread.name = "URLSession link"
        thread.start()
    }

    // MARK: What a session asks

    func outcome() -> LinkOutcome {
        state.lock()
        defer { state.unlock() }
        while true {
            switch phase {
            case .idle, .connecting: state.wait()
            case .attached: return .attached
            case .failed(let error, _): return .failed(error)
            case .closed: return .closed
            }
        }
    }

    func send<Call: ServiceCall>(
        _ call: Call, coming: (@Sendable (IncomingMessage) -> Void)?,
        _ answer: @escaping @Sendable (Result<Call.Result, LinkFailure>) -> Void
    ) {
        order.lock()
        state.lock()
        let id = book.nextID()
        let failure: LinkFailure?
        var written: Data?
        let before = repetitions
        do {
            let line = try JSONRPC.request(call, id: .number(id))
            failure = phaseFailure
            if failure == nil {
                written = line
                book.add(
                    CallBook.Entry(line: line, isCommand: Call.isCommand, coming: coming) { result in
                        answer(result.flatMap { Self.decode(Call.Result.self, $0, Call.method) })
                    }, id: id)
            }
        } catch {
            failure = .refused(.invalidParams("\(Call.method) cannot be written: \(error)"))
        }
        state.unlock()
        if let failure {
            order.unlock()
            return Self.answers.async { answer(.failure(failure)) }
        }
        let isWritten = written.map(writeOrHangUp) ?? true
        order.unlock()
        if !isWritten, Call.isCommand { waitForRepetition(after: before) }
    }

    /// The service has just gone: a command counts as written only when the next one has been told, since this
    /// process may be gone on the next line. Bounded; never on the link's own thread.
    private func waitForRepetition(after before: Int) {
        let deadline = Date(timeIntervalSinceNow: 2)
        state.lock()
        defer { state.unlock() }
        while repetitions == before, case .attached = phase {
            guard state.wait(until: deadline) else { return }
        }
    }

    func notify<Note: ServiceNotification>(_ note: Note) {
        guard let line = try? JSONRPC.notification(note) else { return }
        order.lock()
        defer { order.unlock() }
        _ = writeOrHangUp(line)
    }

    func tryAgain() {
        state.lock()
        guard case .failed(let error, let time) = phase, error.mayMend, Date().timeIntervalSince(time) > 1
        else {
            return state.unlock()
        }
        phase = .connecting
        state.unlock()
        startThread()
    }

    func close() {
        state.lock()
        phase = .closed
        let left = book.takeAll()
        state.broadcast()
        state.unlock()
        order.lock()
        current?.hangUp()
        connection = nil
        order.unlock()
        Self.answers.async { left.forEach { $0.answer(.failure(.unavailable(.closed))) } }
    }

    /// Waits until every command has been answered, or until then.
    func waitForAnswers(until deadline: Date) {
        state.lock()
        defer { state.unlock() }
        while book.unansweredCommands > 0 {
            guard state.wait(until: deadline) else { return }
        }
    }

    // MARK: The link's own thread

    private func run() {
        var shortLives = 0
        while true {
            let began = Date()
            do {
                guard try live() else { return }
            } catch {
                return fail(error)
            }
            // A service that dies of what it is told again would be started for ever.
            shortLives = Date().timeIntervalSince(began) < 1 ? shortLives + 1 : 0
            if shortLives >= 10 { return fail(.leftAtOnce(log: greeting.access.home.log)) }
        }
    }

    /// One connection from its beginning to its end; false when the link has been closed.
    private func live() throws(ServiceError) -> Bool {
        guard let opened = try greeting.connect(starting: true) else { throw .notRunning }
        let connection = opened.connection
        var early: [Data] = []
        connection.limitWaiting(to: attachment.patience + 30)
        switch connection.call(attachment, meanwhile: { early.append($0) }) {
        case .result(let result):
            connection.limitWaiting(to: 0)
            // The session learns of its next identifier before anybody who waits for the outcome asks for it.
            listener?.linkDidAttach(result, again: hasAttachedBefore)
            hasAttachedBefore = true
        case .refused(let error) where error.data?.reason == .sessionInUse:
            throw .sessionInUse(identifier: attachment.identifier, pid: error.data?.pid)
        case .refused(let error) where error.data?.reason == .leaving: return true
        case .refused(let error): throw .refused(message: error.message)
        case .timedOut: throw .notAnswering(home: greeting.access.home.folder)
        case .ended: return true
        }
        // Whoever waited for the outcome finds a connection to write to: that `resume()` has written when it
        // returns depends on it.
        repeatUnanswered(on: connection)
        guard attached() else { return false }
        early.forEach(take)
        while case .line(let line) = connection.readLine() { take(line) }
        return ended(connection)
    }

    private func attached() -> Bool {
        state.lock()
        defer { state.unlock() }
        if case .closed = phase { return false }
        phase = .attached
        state.broadcast()
        return true
    }

    /// Writes what was not answered, on another thread: the answers must be read meanwhile, or both ends could
    /// wait for each other with full sockets. `order` is held all the time, so that nothing overtakes it.
    private func repeatUnanswered(on connection: ServiceConnection) {
        order.lock()
        current = connection
        if isClosed { connection.hangUp() }
        guard unansweredLines.reduce(0, { $0 + $1.count }) > 32 << 10 else {
            // Little enough for the socket to take it without anybody reading.
            writeUnanswered(to: connection)
            return order.unlock()
        }
        order.unlock()
        Thread {
            self.order.lock()
            defer { self.order.unlock() }
            if self.current === connection { self.writeUnanswered(to: connection) }
        }.start()
    }

    /// With `order` held.
    private func writeUnanswered(to connection: ServiceConnection) {
        self.connection = connection
        for line in unansweredLines where !connection.write(line) { return }
        state.lock()
        repetitions += 1
        state.broadcast()
        state.unlock()
    }

    private var isClosed: Bool {
        state.lock()
        defer { state.unlock() }
        if case .closed = phase { return true }
        return false
    }

    private var unansweredLines: [Data] {
        state.lock()
        defer { state.unlock() }
        return book.lines
    }

    private func ended(_ connection: ServiceConnection) -> Bool {
        // A writer that blocks in `send` must let go of `order` first.
        connection.hangUp()
        order.lock()
        self.connection = nil
        current = nil
        order.unlock()
        state.lock()
        defer { state.unlock() }
        if case .closed = phase { return false }
        return true
    }

    private func fail(_ error: ServiceError) {
        state.lock()
        if case .closed = phase { return state.unlock() }
        phase = .failed(error, at: Date())
        let left = book.takeAll()
        state.unlock()
        // The session's tasks end first, then whoever waits goes on.
        listener?.linkDidFail(error)
        left.forEach { $0.answer(.failure(.unavailable(error))) }
        state.lock()
        state.broadcast()
        state.unlock()
    }

    private func take(_ line: Data) {
        guard let message = try? Self.reader.read(line) else { return }
        let envelope = message.envelope
        guard let method = envelope.method else { return takeAnswer(message, line) }
        // A method of a newer service is survived.
        guard let listener else { return }
        switch method {
        case DeliverEvent.method:
            if let note = params(DeliverEvent.self, message) {
                listener.linkDidReceive(note)
            } else if let event = UnknownEvent(line: line) {
                // A newer client will know it; those behind it must not wait for that.
                notify(AcknowledgeEvent(sequence: event.sequence, withheld: true))
            }
        case ReportProgress.method:
            if let note = params(ReportProgress.self, message) { listener.linkDidReceive(note) }
        case ReportTask.method:
            if let note = params(ReportTask.self, message) { listener.linkDidReceive(note) }
        case AskToBegin.method:
            if let note = params(AskToBegin.self, message) { listener.linkDidAsk(note) }
        case AskOwner.method:
            if let note = params(AskOwner.self, message) { listener.linkDidReceive(note) }
        case EventsFinished.method:
            listener.linkDidFinishEvents()
        default:
            break
        }
    }

    private func takeAnswer(_ message: IncomingMessage, _ line: Data) {
        guard case .number(let id)? = message.envelope.id else { return }
        state.lock()
        let entry = book.take(id)
        state.unlock()
        guard let entry else { return }
        entry.coming?(message)
        if let error = message.envelope.error {
            entry.answer(.failure(.refused(error)))
        } else {
            entry.answer(.success(line))
        }
        // After the answer was dealt with: whoever waits for it may ask the session about it.
        state.lock()
        state.broadcast()
        state.unlock()
    }

    private func params<Note: ServiceNotification>(_ type: Note.Type, _ message: IncomingMessage) -> Note? {
        switch message.params {
        case .success(let params)?: return params as? Note
        case .failure(let error)?:
            Complaint.print("The transfer service's '\(Note.method)' cannot be read: \(error)")
            return nil
        case nil: return nil
        }
    }

    private static let reader: MessageReader = {
        let reader = MessageReader()
        reader.learn(DeliverEvent.self)
        reader.learn(ReportProgress.self)
        reader.learn(ReportTask.self)
        reader.learn(AskToBegin.self)
        reader.learn(AskOwner.self)
        return reader
    }()

    private static func decode<Value: Decodable>(
        _ type: Value.Type, _ line: Data, _ method: String
    ) -> Result<Value, LinkFailure> {
        do {
            return .success(try JSONRPC.result(type, in: line))
        } catch {
            return .failure(.refused(.parse("the service's answer to \(method) cannot be read: \(error)")))
        }
    }

    /// With `state` held.
    private var phaseFailure: LinkFailure? {
        switch phase {
        case .failed(let error, _): .unavailable(error)
        case .closed: .unavailable(.closed)
        case .idle, .connecting, .attached: nil
        }
    }

    /// With `order` held. A connection that cannot be written to is at its end: its reader will see to it.
    private func writeOrHangUp(_ line: Data) -> Bool {
        guard let connection else { return false }
        if connection.write(line) { return true }
        connection.hangUp()
        self.connection = nil
        return false
    }
}

extension ServiceCall {
    /// Whether leaving the process must wait until this has been answered.
    fileprivate static var isCommand: Bool { self != ListTasks.self }
}
