// All that a session knows of the service: messages out, news in. The rest of this folder is behind it.
import TransferProtocol

/// A session's way to its service.
protocol SessionLink: AnyObject, Sendable {
    /// Waits until the first attachment, or the newest attempt at one, is decided.
    func outcome() -> LinkOutcome

    /// Sends a call, or keeps it until there is a connection. Written when it returns, if there is one.
    /// - Parameters:
    ///   - coming: hears of an answer before its contents are read, on the same thread.
    ///   - answer: comes on a thread of the link's own, once.
    func send<Call: ServiceCall>(
        _ call: Call, coming: (@Sendable (IncomingMessage) -> Void)?,
        _ answer: @escaping @Sendable (Result<Call.Result, LinkFailure>) -> Void)

    /// Sends a message that wants no answer; lost when there is no connection.
    func notify<Note: ServiceNotification>(_ note: Note)

    /// Tries to attach again after a failure that trying again may mend.
    func tryAgain()

    /// Ends the ownership of the session.
    func close()
}

extension SessionLink {
    func send<Call: ServiceCall>(
        _ call: Call, _ answer: @escaping @Sendable (Result<Call.Result, LinkFailure>) -> Void
    ) {
        send(call, coming: nil, answer)
    }
}

enum LinkOutcome: Sendable {
    case attached
    case failed(ServiceError)
    case closed
}

enum LinkFailure: Error, Sendable {
    /// The service said no.
    case refused(RPCError)
    /// There is no service to ask.
    case unavailable(ServiceError)
}

/// Hears a link, always on the link's own thread.
protocol SessionLinkListener: AnyObject, Sendable {
    func linkDidAttach(_ result: AttachSession.Result, again: Bool)
    func linkDidFail(_ error: ServiceError)
    func linkDidReceive(_ event: DeliverEvent)
    func linkDidReceive(_ progress: ReportProgress)
    func linkDidReceive(_ report: ReportTask)
    func linkDidAsk(_ question: AskToBegin)
    func linkDidReceive(_ question: AskOwner)
    func linkDidFinishEvents()
}
