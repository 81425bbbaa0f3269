// The service's questions, put to the delegate on its queue. Whatever the delegate does not implement has a
// default that answers; a question is answered exactly once, however often the delegate calls back.
import Foundation
import FoundationNetworking
import TransferProtocol

extension SessionCore {
    func linkDidReceive(_ asked: AskOwner) {
        guard let task = object(for: asked.task),
            state.with({ $0.questions.receive(task: task.taskIdentifier, number: asked.number) })
        else { return }
        deliveries.append { [self] in
            switch asked.question {
            case .challenge(let challenge): ask(task, challenge)
            case .redirect(let response, let request): ask(task, response, request)
            }
        }
    }

    private func reply(_ task: URLSessionTask, _ answer: TaskAnswer) {
        guard let number = state.with({ $0.questions.answered(task: task.taskIdentifier) }) else { return }
        link.send(AnswerQuestion(identifier: task.taskIdentifier, number: number, answer: answer)) { _ in }
    }

    // MARK: Challenges

    private func ask(_ task: URLSessionTask, _ record: ChallengeRecord) {
        if let response = record.response { takeCookies(response, of: task) }
        let space = record.protectionSpace
        let proposed = credentials?.known(for: space)
        let once = Guarded(false)
        let answer: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void = { [self] in
            guard
                once.with({ isAnswered in
                    defer { isAnswered = true }
                    return !isAnswered
                })
            else { return }
            let answer = Self.answer($0, $1, proposed: record.failures == 0 ? proposed : nil)
            if case .credential = answer, let credential = $1, credential.persistence != .none {
                credentials?.keep(credential, for: space)
            }
            reply(task, answer)
        }
        let challenge = record.challenge(proposing: proposed, ChallengeSender(answer))
        guard record.isSessionLevel else {
            return ask(task, (any URLSessionTaskDelegate).self) { session, delegate, take in
                delegate.urlSession(session, task: task, didReceive: challenge) { take(($0, $1)) }
            } _: { (said: (URLSession.AuthChallengeDisposition, URLCredential?)?) in
                answer(said?.0 ?? .performDefaultHandling, said?.1)
            }
        }
        guard let (session, delegate) = audience((any URLSessionDelegate).self) else {
            return answer(.performDefaultHandling, nil)
        }
        delegate.urlSession(session, didReceive: challenge, completionHandler: answer)
    }

    /// Default handling takes what the configuration's storage has, once; without, the 401 is the answer.
    private static func answer(
        _ disposition: URLSession.AuthChallengeDisposition, _ given: URLCredential?, proposed: URLCredential?
    ) -> TaskAnswer {
        switch disposition {
        case .cancelAuthenticationChallenge: return .cancel
        case .rejectProtectionSpace: return .reject
        case .useCredential: return given.flatMap(answer) ?? .deliver
        case .performDefaultHandling: return proposed.flatMap(answer) ?? .deliver
        }
    }

    private static func answer(_ credential: URLCredential) -> TaskAnswer? {
        guard let user = credential.user, let password = credential.password else { return nil }
        return .credential(user: user, password: password, remembers: credential.persistence != .none)
    }

    // MARK: Redirects

    private func ask(_ task: URLSessionTask, _ response: ResponseRecord, _ proposed: RequestRecord) {
        takeCookies(response, of: task)
        let proposed = withoutGivenCookies(proposed, task)
        guard let head = HTTPURLResponse(response), let request = URLRequest(proposed) else {
            return reply(task, .follow(request: dress(proposed, of: task)))
        }
        ask(task, (any URLSessionTaskDelegate).self) { session, delegate, take in
            delegate.urlSession(
                session, task: task, willPerformHTTPRedirection: head, newRequest: request,
                completionHandler: take)
        } _: { [self] (said: URLRequest??) in
            // Nobody to ask: it is followed.
            let wanted = said ?? request
            guard let wanted else { return reply(task, .deliver) }
            // Unchanged, it goes byte for byte as the service proposed it.
            let next = wanted == request ? proposed : RequestRecord(wanted)
            reply(task, .follow(request: dress(next, of: task)))
        }
    }

    // MARK: Cookies of a process-bound session

    /// The request with the cookies that the session's storage has for it.
    func dress(_ request: RequestRecord, of task: URLSessionTask) -> RequestRecord {
        guard let cookies, request.handlesCookies != false else { return request }
        let dressed = cookies.dress(request)
        let isOwn = request.headers.first("Cookie") != nil
        task.fields.with { $0.cookieGiven = isOwn ? nil : dressed.headers.first("Cookie") }
        return dressed
    }

    private func withoutGivenCookies(_ request: RequestRecord, _ task: URLSessionTask) -> RequestRecord {
        guard let given = task.fields.with({ $0.cookieGiven }), request.headers.first("Cookie") == given
        else {
            return request
        }
        var undressed = request
        undressed.headers.removeAll { $0.name.lowercased() == "cookie" }
        return undressed
    }

    func takeCookies(_ response: ResponseRecord, of task: URLSessionTask) {
        guard let cookies, task.originalRequest?.httpShouldHandleCookies != false,
            task.fields.with({ $0.takesCookies(from: response) })
        else { return }
        cookies.take(response, mainDocument: task.originalRequest?.mainDocumentURL)
    }
}
