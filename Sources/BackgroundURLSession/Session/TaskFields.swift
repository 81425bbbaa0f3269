// What a task object knows, as a plain value: the app's wishes (suspensions, description, priority) and the
// service's last word (counters, response). Decides when there is news for the delegate; calls nobody.
import Foundation
import FoundationNetworking
import TransferProtocol

struct TaskFields {
    var kind: TaskKind
    var originalRequest: URLRequest?
    var currentRequest: URLRequest?
    var response: URLResponse?
    var error: (any Error)?
    var state = URLSessionTask.State.suspended
    var description: String?
    var priority: Float = 0.5
    var earliestBeginDate: Date?
    var clientExpectsToSend = NSURLSessionTransferSizeUnknown
    var clientExpectsToReceive = NSURLSessionTransferSizeUnknown
    var received: Int64 = 0
    var expected: Int64?
    var sent: Int64 = 0
    var expectedToSend: Int64?
    var delegate: (any URLSessionTaskDelegate)?
    var progress: Progress?

    private let made = Date()

    /// How many `resume()` are missing; a new task lacks one.
    var suspensions = 1
    var wasResumed = false
    /// The service was told of the task, so that commands about it make sense.
    var isInService = false
    /// The service has not said yet whether it makes the task: nobody has it.
    var isProvisional = false
    /// Why it will fail as soon as it is resumed.
    var failure: ErrorRecord?
    /// Lasts at least as long as the task.
    var session: URLSession?
    /// Whom the answer is for.
    var recipient = Recipient.delegate
    /// The answer, of a task that is read as it comes.
    var answer: AnswerStream?
    /// Who answers in the service's place.
    var load: ProtocolLoad?
    /// What is asked of the service once the body's stream has been read.
    var deferred: DeferredBody?
    /// Why the app's own decision ended it, in place of -999.
    var endReason: ErrorRecord?
    /// Its events are shown to this process's delegate and left for the next.
    var keepsUndelivered = false

    /// The Cookie field that the session's storage gave the request.
    var cookieGiven: String?
    private var cookiesFrom: ResponseRecord?

    // What the delegate was told last.
    private var toldReceived: Int64 = 0
    private var toldSent: Int64 = 0
    private var toldWaiting = false
    private var hasNewsOnTheWay = false
    private var responseRecord: ResponseRecord?
    private var currentRecord: RequestRecord?

    init(kind: TaskKind, request: URLRequest?) {
        self.kind = kind
        originalRequest = request
    }

    /// A task of an earlier process, as the service describes it.
    init(_ snapshot: TaskSnapshot) {
        self.init(kind: snapshot.kind, request: URLRequest(snapshot.request))
        description = snapshot.description.flatMap { $0.isEmpty ? nil : $0 }
        priority = Float(snapshot.priority)
        earliestBeginDate = snapshot.earliestBeginDate.flatMap { $0 <= .distantPast ? nil : $0 }
        clientExpectsToSend = snapshot.clientExpectsToSend ?? NSURLSessionTransferSizeUnknown
        clientExpectsToReceive = snapshot.clientExpectsToReceive ?? NSURLSessionTransferSizeUnknown
        wasResumed = snapshot.wasResumed
        suspensions = snapshot.state == .suspended ? 1 : 0
        state = snapshot.state == .suspended ? .suspended : .running
        isInService = true
        apply(snapshot)
        toldReceived = received
        toldSent = sent
    }

    /// Takes over what only the service can know; the app's own wishes stay.
    mutating func apply(_ snapshot: TaskSnapshot) {
        received = snapshot.received
        expected = snapshot.expected
        sent = snapshot.sent
        expectedToSend = snapshot.expectedToSend ?? snapshot.source?.size ?? expectedToSend
        if originalRequest?.url == nil { originalRequest = URLRequest(snapshot.request) }
        if let record = snapshot.response, record != responseRecord {
            responseRecord = record
            response = HTTPURLResponse(record)
        }
        if let record = snapshot.currentRequest, record != currentRecord {
            currentRecord = record
            currentRequest = URLRequest(record)
        }
        showProgress()
    }

    /// Takes newer counters. True when the delegate should be told and no such message is on its way.
    mutating func take(_ note: ProgressNote) -> Bool {
        received = note.received
        expected = note.expected ?? expected
        sent = note.sent
        expectedToSend = note.expectedToSend ?? expectedToSend
        showProgress()
        guard !hasNewsOnTheWay, state != .completed else { return false }
        hasNewsOnTheWay = true
        return true
    }

    /// True once for each answer: its cookies are to be kept.
    mutating func takesCookies(from response: ResponseRecord) -> Bool {
        defer { cookiesFrom = response }
        return cookiesFrom != response
    }

    /// True once, when the task is first seen waiting for the network; a question is no such wait.
    mutating func beginsToWait(_ snapshot: TaskSnapshot) -> Bool {
        if let wait = snapshot.wait, wait.until == nil { return false }
        guard snapshot.state == .waiting, !toldWaiting, state != .completed else { return false }
        toldWaiting = true
        return true
    }

    /// The newest counters, if the delegate has not heard them.
    mutating func news() -> News {
        hasNewsOnTheWay = false
        guard state != .completed else { return News() }
        var news = News()
        if received != toldReceived {
            // Fewer than before: the body began again, and all of it is new.
            news.written = received > toldReceived ? received - toldReceived : received
            toldReceived = received
        }
        if sent != toldSent {
            news.sent = sent > toldSent ? sent - toldSent : sent
            toldSent = sent
        }
        news.totalWritten = received
        news.totalExpectedToWrite = expected ?? NSURLSessionTransferSizeUnknown
        news.totalSent = sent
        news.totalExpectedToSend = expectedToSend ?? NSURLSessionTransferSizeUnknown
        return news
    }

    /// The body was continued there: bytes before are not news.
    mutating func continued(at offset: Int64) {
        toldReceived = offset
        received = max(received, offset)
    }

    /// Ends the task. False when it had ended already.
    mutating func finish(_ outcome: (any Error)?) -> Bool {
        guard state != .completed else { return false }
        state = .completed
        wasResumed = true
        error = outcome
        delegate = nil
        session = nil
        recipient = .delegate
        answer = nil
        load = nil
        deferred = nil
        if outcome == nil, let progress, progress.totalUnitCount <= 0 {
            progress.totalUnitCount = max(progress.completedUnitCount, 1)
            progress.completedUnitCount = progress.totalUnitCount
        }
        return true
    }

    /// Brings the app's `Progress`, if it asked for one, up to date.
    func showProgress() {
        guard let progress else { return }
        let sends = kind == .upload
        let whole = sends ? expectedToSend : expected
        let guess = sends ? clientExpectsToSend : clientExpectsToReceive
        progress.totalUnitCount = whole ?? (guess > 0 ? guess : -1)
        progress.completedUnitCount = sends ? sent : received
    }

    /// Of a task whose end the service did not tell.
    var metricsHere: TaskMetrics { TaskMetrics(created: made, ended: Date(), transactions: []) }

    /// What a progress message says; zero bytes mean no message.
    struct News {
        var written: Int64 = 0
        var totalWritten: Int64 = 0
        var totalExpectedToWrite: Int64 = 0
        var sent: Int64 = 0
        var totalSent: Int64 = 0
        var totalExpectedToSend: Int64 = 0
    }
}
