// The service's questions, as a delegate gets them, and what goes back.
import Foundation
import Testing
import TransferProtocol

@testable import BackgroundURLSession

private typealias Disposition = BackgroundURLSession.URLSession.AuthChallengeDisposition

/// Answers with its closures; the handler form.
private final class Answerer: NSObject, URLSessionTaskDelegate, @unchecked Sendable {
    // Unchecked: the closures are set before the session is made.
    let challenges = Guarded<[(challenge: URLAuthenticationChallenge, task: Int?)]>([])
    var answer: (URLAuthenticationChallenge) -> (Disposition, URLCredential?) = { _ in
        (.performDefaultHandling, nil)
    }
    var times = 1
    var redirect: (URLRequest) -> URLRequest? = { $0 }

    func urlSession(
        _ session: BackgroundURLSession.URLSession, task: BackgroundURLSession.URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (Disposition, URLCredential?) -> Void
    ) {
        challenges.with { $0.append((challenge, task.taskIdentifier)) }
        let answer = answer(challenge)
        for _ in 0..<times { completionHandler(answer.0, answer.1) }
    }

    func urlSession(
        _ session: BackgroundURLSession.URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (Disposition, URLCredential?) -> Void
    ) {
        challenges.with { $0.append((challenge, nil)) }
        let answer = answer(challenge)
        completionHandler(answer.0, answer.1)
    }

    func urlSession(
        _ session: BackgroundURLSession.URLSession, task: BackgroundURLSession.URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(redirect(request))
    }
}

/// The async forms.
private final class AsyncAnswerer: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: BackgroundURLSession.URLSession, task: BackgroundURLSession.URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (Disposition, URLCredential?) {
        (.useCredential, URLCredential(user: "async", password: "p", persistence: .none))
    }

    func urlSession(
        _ session: BackgroundURLSession.URLSession, task: BackgroundURLSession.URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest
    ) async -> URLRequest? {
        nil
    }
}

/// Implements no question.
private final class Silent: NSObject, URLSessionTaskDelegate {}

@Suite struct AskingTests {
    private let challenge = ChallengeRecord(
        scheme: "basic", realm: "r", host: "h", port: 81, transport: "http",
        response: ResponseRecord(url: "http://h:81/x", status: 401))

    private func ask(
        _ question: TaskQuestion, _ delegate: any URLSessionDelegate, storage: URLCredentialStorage? = nil
    ) async throws -> TaskAnswer? {
        let service = try FakeService()
        let configuration = service.configuration()
        configuration.urlCredentialStorage = storage ?? URLCredentialStorage()
        let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        try session.waitUntilAttached()
        try service.tell(AskOwner(number: 7, question: question, task: .fake(3)))
        // Without blocking a thread of the pool: the async forms need one.
        let deadline = Date(timeIntervalSinceNow: 30)
        while !service.methods.contains(AnswerQuestion.method), Date() < deadline {
            try await Task.sleep(for: .milliseconds(5))
        }
        let answer = try service.wait(for: AnswerQuestion.method).first?.read(AnswerQuestion.self)
        #expect(answer?.identifier == 3 && answer?.number == 7)
        return answer?.answer
    }

    @Test func aCredentialIsSentAndKeptAsItsPersistenceSays() async throws {
        for persistence in [URLCredential.Persistence.none, .forSession] {
            let storage = URLCredentialStorage()
            let delegate = Answerer()
            delegate.answer = { _ in
                (.useCredential, URLCredential(user: "me", password: "p", persistence: persistence))
            }
            let answer = try await ask(.challenge(challenge), delegate, storage: storage)
            let keeps = persistence != .none
            #expect(answer == .credential(user: "me", password: "p", remembers: keeps))
            #expect((storage.known(for: challenge.protectionSpace) != nil) == keeps)
            let got = try #require(delegate.challenges.with { $0.first })
            #expect(got.task == 3)
            let space = got.challenge.protectionSpace
            #expect(space.host == "h" && space.port == 81 && space.realm == "r")
            #expect(space.authenticationMethod == NSURLAuthenticationMethodHTTPBasic)
            #expect(!space.isProxy())
            #expect(got.challenge.previousFailureCount == 0)
            #expect((got.challenge.failureResponse as? HTTPURLResponse)?.statusCode == 401)
        }
    }

    @Test(arguments: [
        (Disposition.performDefaultHandling, TaskAnswer.deliver), (.cancelAuthenticationChallenge, .cancel),
        (.rejectProtectionSpace, .reject), (.useCredential, .deliver),
    ])
    private func eachDispositionHasItsAnswer(disposition: Disposition, expected: TaskAnswer) async throws {
        let delegate = Answerer()
        delegate.answer = { _ in (disposition, nil) }
        #expect(try await ask(.challenge(challenge), delegate) == expected)
    }

    @Test func defaultHandlingTakesTheStoredCredentialOnce() async throws {
        let storage = URLCredentialStorage()
        storage.setDefaultCredential(
            URLCredential(user: "stored", password: "s", persistence: .forSession),
            for: challenge.protectionSpace)
        #expect(
            try await ask(.challenge(challenge), Silent(), storage: storage)
                == .credential(user: "stored", password: "s", remembers: true))
        var again = challenge
        again.failures = 1
        #expect(try await ask(.challenge(again), Silent(), storage: storage) == .deliver)
        let delegate = Answerer()
        #expect(try await ask(.challenge(again), delegate, storage: storage) == .deliver)
        let got = try #require(delegate.challenges.with { $0.first?.challenge })
        #expect(got.proposedCredential?.user == "stored")
        #expect(got.previousFailureCount == 1)
    }

    @Test func whoImplementsNothingHasTheDefault() async throws {
        #expect(try await ask(.challenge(challenge), Silent()) == .deliver)
    }

    @Test func theAsyncFormAnswersToo() async throws {
        #expect(
            try await ask(.challenge(challenge), AsyncAnswerer())
                == .credential(user: "async", password: "p", remembers: false))
    }

    @Test func sessionLevelKindsGoToTheSessionsMethodOnly() async throws {
        var ntlm = challenge
        ntlm.scheme = "ntlm"
        let delegate = Answerer()
        #expect(try await ask(.challenge(ntlm), delegate) == .deliver)
        #expect(delegate.challenges.with { $0.map(\.task) } == [nil])
        // The task's method is no substitute.
        #expect(try await ask(.challenge(ntlm), AsyncAnswerer()) == .deliver)
    }

    @Test func aProxysChallengeSaysSo() async throws {
        var proxy = challenge
        proxy.isProxy = true
        proxy.scheme = "digest"
        let delegate = Answerer()
        _ = try await ask(.challenge(proxy), delegate)
        let space = try #require(delegate.challenges.with { $0.first?.challenge.protectionSpace })
        #expect(space.isProxy())
        #expect(space.authenticationMethod == NSURLAuthenticationMethodHTTPDigest)
    }

    @Test func whoAnswersTwiceIsHeardOnceAndTheDelegateIsAskedOnce() throws {
        let service = try FakeService()
        let delegate = Answerer()
        delegate.times = 2
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let session = URLSession(
            configuration: service.configuration(), delegate: delegate, delegateQueue: queue)
        try session.waitUntilAttached()
        // A new service asks under a new number while the delegate thinks.
        for number in [7, 8] as [Int64] {
            try service.tell(AskOwner(number: number, question: .challenge(challenge), task: .fake(3)))
        }
        try service.tell(EventsFinished())
        try session.commit()
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        try session.commit()
        let answers = try service.wait(for: AnswerQuestion.method).map { try $0.read(AnswerQuestion.self) }
        #expect(answers.map(\.number) == [8])
        #expect(delegate.challenges.with { $0.count } == 1)
    }

    @Test func aRedirectIsFollowedChangedOrDelivered() async throws {
        let proposed = RequestRecord(
            url: "http://h/a%2Bb", headers: [HeaderField("X", "1"), HeaderField("X", "2")])
        let question = TaskQuestion.redirect(
            response: ResponseRecord(url: "http://h/", status: 302), request: proposed)
        #expect(try await ask(question, Answerer()) == .follow(request: proposed))
        #expect(try await ask(question, Silent()) == .follow(request: proposed))
        #expect(try await ask(question, AsyncAnswerer()) == .deliver)
        let delegate = Answerer()
        delegate.redirect = { _ in URL(string: "http://h/other").map { URLRequest(url: $0) } }
        #expect(try await ask(question, delegate) == .follow(request: RequestRecord(url: "http://h/other")))
        delegate.redirect = { _ in nil }
        #expect(try await ask(question, delegate) == .deliver)
    }

    @Test func resetAsksTheServiceAndEmptiesTheStorage() async throws {
        let service = try FakeService()
        let storage = URLCredentialStorage()
        let space = challenge.protectionSpace
        storage.set(URLCredential(user: "u", password: "p", persistence: .forSession), for: space)
        let configuration = service.configuration()
        configuration.urlCredentialStorage = storage
        let session = URLSession(configuration: configuration)
        await session.reset()
        #expect(service.methods.contains(ResetSession.method))
        #expect(storage.credentials(for: space)?.isEmpty != false)
    }
}

@Suite struct CapturingTests {
    private func record(
        _ environment: [String: String] = [:],
        _ change: (BackgroundURLSession.URLSessionConfiguration) -> Void
    ) -> SessionConfigurationRecord {
        let configuration = URLSessionConfiguration.background(withIdentifier: "x")
        configuration.access.environment = environment
        change(configuration)
        return SessionConfigurationRecord(configuration.snapshot())
    }

    @Test func theProxyDictionaryReplacesTheEnvironment() {
        let environment = ["http_proxy": "http://env:1", "no_proxy": "a"]
        #expect(record(environment) { _ in }.proxies.http == "http://env:1")
        #expect(record(environment) { $0.connectionProxyDictionary = [:] }.proxies == ProxyRecord())
        let proxies = record(environment) {
            $0.connectionProxyDictionary = [
                "HTTPEnable": 1, "HTTPProxy": "p", "HTTPPort": 8080, "HTTPSEnable": true,
                "HTTPSProxy": "q", "HTTPSPort": NSNumber(value: 8443), "SOCKSEnable": 0, "SOCKSProxy": "s",
                "ExceptionsList": ["*.local", "127.0.0.1"], "kCFProxyUsernameKey": "me",
                "kCFProxyPasswordKey": "p:@/",
            ]
        }.proxies
        #expect(proxies.http == "http://me:p%3A%40%2F@p:8080")
        #expect(proxies.https == "http://me:p%3A%40%2F@q:8443")
        #expect(proxies.all == nil)
        #expect(proxies.exceptions == "local,127.0.0.1")
        let socks = record {
            $0.connectionProxyDictionary = ["SOCKSEnable": 1, "SOCKSProxy": "s", "SOCKSPort": 1081]
        }
        #expect(socks.proxies.all == "socks5h://s:1081")
    }

    @Test func trustAndIdentityAreCopiedWithAbsolutePaths() {
        let record = record {
            $0.additionalCertificates = URL(fileURLWithPath: "/ca.pem")
            $0.pinnedPublicKeys = ["sha256//a", "sha256//b"]
            $0.clientIdentity = ClientIdentity(
                certificate: URL(fileURLWithPath: "/c.p12"), password: "secret")
        }
        #expect(record.additionalCertificateFile == "/ca.pem")
        #expect(record.pinnedKeys == ["sha256//a", "sha256//b"])
        #expect(record.identity == IdentityRecord(certificateFile: "/c.p12", password: "secret"))
    }

    @Test func cookiesAreAsTheConfigurationSays() {
        #expect(record { _ in }.cookies == CookieRecord(sends: true, accepts: "mainDocument"))
        #expect(record { $0.httpCookieStorage = nil }.cookies == nil)
        #expect(
            record {
                $0.httpShouldSetCookies = false
                $0.httpCookieAcceptPolicy = .never
            }.cookies == CookieRecord(sends: false, accepts: "never"))
        #expect(record { $0.httpCookieAcceptPolicy = .always }.cookies?.accepts == "always")
    }
}
