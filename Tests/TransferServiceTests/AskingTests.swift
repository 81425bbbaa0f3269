// Questions to owners: what makes one, what waits for it, and what each answer does.
import Foundation
import HTTPEngine
import Testing
import TransferProtocol

@testable import TransferService
@testable import TransferStore

@TransferActor
@Suite struct AskingTests {
    private static let basic = ["WWW-Authenticate": "Basic realm=\"r\""]

    private func bench(_ answers: [QuestionKind] = [.challenge]) throws -> SchedulerBench {
        let bench = try SchedulerBench()
        var configuration = SessionConfigurationRecord()
        configuration.answers = answers
        _ = try bench.store.makeSession(client: "tests", identifier: "s", configuration: configuration)
        return bench
    }

    private func started(
        _ bench: SchedulerBench, _ kind: TaskKind = .download, change: (inout TaskRecord) -> Void = { _ in }
    ) async throws -> Int64 {
        let configuration = try #require(try bench.store.session(id: bench.session.id)).configuration
        let key = try bench.add(kind) {
            $0.configuration = configuration
            change(&$0)
        }
        try bench.scheduler.perform(.resume, key: key)
        await bench.settle()
        return key
    }

    /// The newest transfer's answer, with its body on disk, and its end.
    private func answer(
        _ bench: SchedulerBench, _ key: Int64, _ status: Int, _ fields: [String: String] = [:],
        url: String = Sample.url, failure: EngineFailure? = nil, redirect: EngineRedirect? = nil,
        kept: [UInt8]? = nil
    ) async throws {
        let transfer = TransferID(rawValue: try #require(bench.engine.started.last))
        let head = EngineHead(
            url: url, status: status, version: "HTTP/1.1",
            headers: fields.merging(["Content-Length": "9"]) { $1 }
                .map { EngineHeader(name: $0.key, value: $0.value) },
            hasBody: true)
        bench.scheduler.take(.head(transfer, head, .replace))
        if failure == nil, kept == nil { try bench.fill(key, 9) }
        var outcome = EngineOutcome(
            result: failure.map { .failure($0) } ?? .success(()), head: head, bodyLength: 9, sent: 0,
            isCloseDelimited: false, metrics: EngineMetrics())
        var transaction = EngineTransaction(url: url, method: "GET")
        transaction.head = head
        outcome.transactions = [transaction]
        outcome.redirect = redirect
        outcome.keptBody = kept
        bench.scheduler.take(.ended(transfer, outcome))
        await bench.settle()
    }

    private func question(_ bench: SchedulerBench, _ key: Int64) throws -> ChallengeRecord {
        let (_, question) = try #require(bench.scheduler.dialogues.question(key))
        guard case .challenge(let challenge) = question else { throw CancellationError() }
        return challenge
    }

    private func say(_ bench: SchedulerBench, _ key: Int64, _ answer: TaskAnswer) async throws {
        let (number, _) = try #require(bench.scheduler.dialogues.question(key))
        try bench.scheduler.answer(answer, number: number, key: key)
        await bench.settle()
    }

    private func request(_ bench: SchedulerBench) throws -> EngineRequest {
        let newest = try #require(bench.engine.started.last)
        return try #require(bench.engine.requests[newest])
    }

    private let mine = TaskAnswer.credential(user: "me", password: "p", remembers: true)

    // MARK: Challenges

    @Test func aQuestionHoldsNoConnectionAndTheAnswerMakesTheRequestAgain() async throws {
        let bench = try bench()
        let key = try await started(bench)
        try await answer(bench, key, 401, Self.basic)
        #expect(bench.scheduler.runningCount == 0)
        #expect(try bench.phase(key) == .waiting)
        #expect(try bench.task(key)?.wait?.until == nil)
        #expect(try bench.task(key)?.asks == AskNote(kind: .challenge, holdsAnswer: true))
        #expect(bench.asked == [key])
        #expect(try bench.scheduler.questions(session: bench.session.id).map(\.task.key) == [key])
        let asked = try question(bench, key)
        #expect(asked.scheme == "basic" && asked.realm == "r" && asked.host == "127.0.0.1")
        #expect(asked.port == 8765 && asked.failures == 0 && asked.response?.status == 401)
        try await say(bench, key, mine)
        #expect(bench.engine.started.count == 2)
        #expect(
            try request(bench).credential == EngineCredential(user: "me", password: "p", scheme: .basic))
        #expect(try request(bench).url == Sample.url)
        bench.answer(2)
        try bench.fill(key, 1000)
        bench.end(2)
        await bench.settle()
        #expect(try bench.task(key)?.response?.status == 200)
        #expect(try bench.events() == [.downloaded(path: "", bytes: 1000), .completed(error: nil)])
        #expect(bench.scheduler.dialogues.question(key) == nil)
        #expect(try bench.scheduler.questions(session: bench.session.id).isEmpty)
    }

    @Test func whatIsNotAcceptedIsAskedAgainAndCounted() async throws {
        let bench = try bench()
        let key = try await started(bench)
        for failures in 0...2 {
            try await answer(bench, key, 401, Self.basic)
            #expect(try question(bench, key).failures == failures)
            try await say(bench, key, mine)
        }
        #expect(bench.engine.started.count == 4)
    }

    @Test func anotherRealmsPasswordIsNoFailureOfTheOwners() async throws {
        let bench = try bench()
        let first = try await started(bench)
        try await answer(bench, first, 401, Self.basic, url: "http://127.0.0.1:8765/a")
        try await say(bench, first, mine)
        // Below the same folder, and so it goes out with that password; but there another realm asks.
        let second = try await started(bench) { $0.request.url = "http://127.0.0.1:8765/b/y" }
        #expect(try request(bench).credential?.password == "p")
        let other = ["WWW-Authenticate": "Basic realm=\"other\""]
        try await answer(bench, second, 401, other, url: "http://127.0.0.1:8765/b/y")
        #expect(try question(bench, second).failures == 0)
        try await say(bench, second, .credential(user: "me", password: "q", remembers: true))
        #expect(try request(bench).credential?.password == "q")
        // Of the two folders that hold it, the inner one's.
        _ = try await started(bench) { $0.request.url = "http://127.0.0.1:8765/b/z" }
        #expect(try request(bench).credential?.password == "q")
    }

    /// SEMANTICS 15: every retry begins from the original request again.
    @Test func aLostConnectionAfterAChallengeBeginsAtTheTasksOwnAddress() async throws {
        let bench = try bench()
        let key = try await started(bench)
        let elsewhere = "http://127.0.0.1:9999/signed?until=soon"
        try await answer(bench, key, 401, Self.basic, url: elsewhere)
        try await say(bench, key, mine)
        #expect(try request(bench).url == elsewhere)
        bench.end(try #require(bench.engine.started.last), EngineFailure(.connectionLost, message: ""))
        await bench.settle()
        try bench.scheduler.perform(.retryDue, key: key)
        await bench.settle()
        #expect(try request(bench).url == Sample.url)
        #expect(try request(bench).credential == nil, "a password of another place")
        // It leads there again, and nobody is asked again.
        try await answer(bench, key, 401, Self.basic, url: elsewhere)
        #expect(bench.scheduler.dialogues.question(key) == nil)
        #expect(try request(bench).url == elsewhere)
        #expect(try request(bench).credential?.password == "p")
    }

    @Test func defaultHandlingDeliversThe401AsItIs() async throws {
        let bench = try bench()
        let key = try await started(bench)
        try await answer(bench, key, 401, Self.basic)
        try await say(bench, key, .deliver)
        #expect(bench.engine.started.count == 1)
        #expect(try bench.task(key)?.response?.status == 401)
        #expect(try bench.events() == [.downloaded(path: "", bytes: 9), .completed(error: nil)])
    }

    @Test func aCancelledChallengeEndsTheTask() async throws {
        let bench = try bench()
        let key = try await started(bench)
        try await answer(bench, key, 401, Self.basic)
        try await say(bench, key, .cancel)
        #expect(try bench.task(key)?.error?.code == ErrorCode.cancelled)
    }

    @Test func aRejectedWayIsFollowedByTheNextAndThenByThe401() async throws {
        let bench = try bench()
        let key = try await started(bench)
        try await answer(
            bench, key, 401, ["WWW-Authenticate": "Digest realm=d, nonce=n, Basic realm=b"])
        #expect(try question(bench, key).scheme == "digest")
        try await say(bench, key, .reject)
        #expect(try question(bench, key).scheme == "basic")
        #expect(try question(bench, key).realm == "b")
        #expect(bench.asked == [key, key])
        try await say(bench, key, .reject)
        #expect(try bench.task(key)?.response?.status == 401)
        #expect(try bench.phase(key) == .ended)
    }

    @Test func whoAnswersNoQuestionsGetsTheAnswerAtOnce() async throws {
        let bench = try bench([])
        let key = try await started(bench)
        try await answer(bench, key, 401, Self.basic)
        #expect(try bench.phase(key) == .ended)
        #expect(bench.asked.isEmpty)
    }

    @Test func aWayThatNobodyHereKnowsIsNoQuestion() async throws {
        let bench = try bench()
        let key = try await started(bench)
        try await answer(bench, key, 401, ["WWW-Authenticate": "Bearer realm=x"])
        #expect(try bench.phase(key) == .ended)
    }

    @Test func aPasswordServesTheNextTaskUntilItIsNotAccepted() async throws {
        let bench = try bench()
        let first = try await started(bench)
        try await answer(bench, first, 401, Self.basic)
        try await say(bench, first, mine)
        // In the same folder it goes out at once.
        let second = try await started(bench)
        #expect(try request(bench).credential?.user == "me")
        try await answer(bench, second, 401, Self.basic)
        #expect(try question(bench, second).failures == 1)
        _ = try await started(bench)
        #expect(try request(bench).credential == nil)
    }

    @Test func aPasswordIsForgottenByResetAndWithoutRemembering() async throws {
        let bench = try bench()
        let first = try await started(bench)
        try await answer(bench, first, 401, Self.basic)
        try await say(bench, first, .credential(user: "me", password: "p", remembers: false))
        _ = try await started(bench)
        #expect(try request(bench).credential == nil)
        let third = try await started(bench)
        try await answer(bench, third, 401, Self.basic)
        try await say(bench, third, mine)
        bench.scheduler.reset(session: bench.session.id)
        _ = try await started(bench)
        #expect(try request(bench).credential == nil)
    }

    @Test func aPasswordGoesToThePlaceThatAskedAlsoAfterARedirect() async throws {
        let bench = try bench()
        let key = try await started(bench) {
            $0.request.headers = [HeaderField("Authorization", "Bearer x"), HeaderField("X", "y")]
        }
        try await answer(bench, key, 401, Self.basic, url: "http://elsewhere:81/private/file")
        #expect(try question(bench, key).host == "elsewhere")
        #expect(try question(bench, key).port == 81)
        try await say(bench, key, mine)
        let again = try request(bench)
        #expect(again.url == "http://elsewhere:81/private/file")
        #expect(again.credential?.user == "me")
        #expect(again.headers.map(\.name) == ["X"])
    }

    @Test func heldBytesAreKeptWhileAPasswordIsAsked() async throws {
        let bench = try bench()
        let key = try await started(bench)
        bench.answer(1)
        try bench.fill(key, 400)
        bench.end(1, EngineFailure(.connectionLost, message: "reset"))
        await bench.settle()
        try bench.scheduler.perform(.retryDue, key: key)
        await bench.settle()
        #expect(bench.engine.range(of: 2) == "bytes=400-")
        let refusal = EngineHead(
            url: Sample.url, status: 401, version: "HTTP/1.1",
            headers: [EngineHeader(name: "WWW-Authenticate", value: "Basic realm=r")], hasBody: true)
        #expect(try request(bench).judge(refusal) == .refuse)
        try await answer(
            bench, key, 401, Self.basic, failure: EngineFailure(.refused, message: "refused"))
        #expect(try bench.task(key)?.asks?.holdsAnswer == false)
        try await say(bench, key, mine)
        #expect(bench.engine.range(of: 3) == "bytes=400-")
        // Asked again, and settled: the 401 replaces what is held.
        try await answer(
            bench, key, 401, Self.basic, failure: EngineFailure(.refused, message: "refused"))
        try await say(bench, key, .deliver)
        #expect(try request(bench).judge(refusal) == .replace)
    }

    /// A task whose answer somebody reads as it comes, and the reading end.
    private func piped(_ bench: SchedulerBench) async throws -> (key: Int64, reader: Int32) {
        let pipe = bench.home.folder + "/1.pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        let reader = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        let key = try await started(bench, .data) { $0.pipe = pipe }
        return (key, reader)
    }

    private func read(_ reader: Int32) -> String? {
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = Foundation.read(reader, &bytes, bytes.count)
        return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    @Test func whatAReaderWouldGetIsKeptAsideAndHandedOverWhenTheOwnerWantsIt() async throws {
        let bench = try bench()
        let (key, reader) = try await piped(bench)
        defer { close(reader) }
        let refusal = EngineHead(
            url: Sample.url, status: 401, version: "HTTP/1.1",
            headers: [EngineHeader(name: "WWW-Authenticate", value: "Basic realm=r")], hasBody: true)
        #expect(try request(bench).judge(refusal) == .keepAside(atMost: 64 << 10))
        try await answer(bench, key, 401, Self.basic, kept: Array("log in!".utf8))
        #expect(read(reader) == "")
        #expect(try question(bench, key).response?.status == 401)
        try await say(bench, key, .deliver)
        #expect(bench.engine.started.count == 1)
        #expect(read(reader) == "log in!")
        // And its end.
        #expect(read(reader) == "")
        let task = try #require(try bench.task(key))
        #expect(task.response?.status == 401 && task.received == 7)
        #expect(try bench.events() == [.completed(error: nil)])
    }

    @Test func whatWasTooMuchToKeepIsAskedForOnceMore() async throws {
        let bench = try bench()
        let (key, reader) = try await piped(bench)
        defer { close(reader) }
        try await answer(
            bench, key, 401, Self.basic, failure: EngineFailure(.refused, message: "refused"))
        try await say(bench, key, .deliver)
        #expect(bench.engine.started.count == 2)
    }

    @Test func anAnswerThatWasKeptAsideIsForgottenWhenThereIsAnother() async throws {
        let bench = try bench()
        let (key, reader) = try await piped(bench)
        defer { close(reader) }
        try await answer(bench, key, 401, Self.basic, kept: Array("log in!".utf8))
        try await say(bench, key, mine)
        #expect(bench.engine.started.count == 2)
        try await answer(
            bench, key, 401, Self.basic, failure: EngineFailure(.refused, message: "refused"))
        try await say(bench, key, .deliver)
        #expect(read(reader) == "")
        #expect(bench.engine.started.count == 3)
    }

    @Test func aSuspendedTaskMayBeAnsweredAndGoesOnWhenItIsResumed() async throws {
        let bench = try bench()
        let key = try await started(bench)
        try await answer(bench, key, 401, Self.basic)
        try bench.scheduler.perform(.suspend, key: key)
        await bench.settle()
        try await say(bench, key, mine)
        #expect(bench.engine.started.count == 1)
        try bench.scheduler.perform(.resume, key: key)
        await bench.settle()
        #expect(try request(bench).credential?.user == "me")
    }

    @Test func theNextServiceAsksTheServerAgainAndNotItsDisk() async throws {
        let bench = try bench()
        let key = try await started(bench)
        try await answer(bench, key, 401, Self.basic)
        let next = try SchedulerBench(home: bench.nextLife())
        next.scheduler.recover()
        await next.settle()
        #expect(next.engine.started == [1])
        #expect(try next.task(key)?.response == nil)
        #expect(next.engine.range(of: 1) == nil)
        #expect(next.engine.requests[1]?.credential == nil)
    }

    @Test func anAnswerThatComesLateChangesNothing() async throws {
        let bench = try bench()
        let key = try await started(bench)
        try await answer(bench, key, 401, Self.basic)
        let (number, _) = try #require(bench.scheduler.dialogues.question(key))
        try bench.scheduler.answer(.deliver, number: number - 1, key: key)
        await bench.settle()
        #expect(try bench.phase(key) == .waiting)
        try await say(bench, key, mine)
        try bench.scheduler.answer(.cancel, number: number, key: key)
        await bench.settle()
        #expect(try bench.phase(key) == .running)
    }

    @Test func anAnswerThatCannotBeWrittenLeavesTheQuestionOpen() async throws {
        let bench = try bench()
        let key = try await started(bench)
        try await answer(bench, key, 401, Self.basic)
        let (number, _) = try #require(bench.scheduler.dialogues.question(key))
        try bench.scheduler.answer(mine, number: number, key: key)
        try bench.spoilTurn()
        await bench.settle()
        #expect(bench.scheduler.dialogues.question(key)?.number == number)
        #expect(bench.engine.started.count == 1)
        try await say(bench, key, mine)
        #expect(try request(bench).credential?.user == "me")
    }

    @Test func aProxyThatRefusesToConnectIsAQuestionAndEndsWithItsOwnError() async throws {
        let bench = try SchedulerBench()
        var configuration = SessionConfigurationRecord()
        configuration.answers = [.challenge]
        configuration.proxies.https = "http://proxy.test:3128"
        _ = try bench.store.makeSession(client: "tests", identifier: "s", configuration: configuration)
        let key = try await started(bench) { $0.request.url = "https://127.0.0.1/x" }
        func refuse() async throws {
            var outcome = EngineOutcome(
                result: .failure(EngineFailure(.proxyAuthenticationRequired, message: "407")), head: nil,
                bodyLength: 0, sent: 0, isCloseDelimited: false, metrics: EngineMetrics())
            outcome.proxySchemes = [.basic]
            outcome.transactions = [EngineTransaction(url: "https://127.0.0.1/x", method: "GET")]
            bench.scheduler.take(
                .ended(TransferID(rawValue: try #require(bench.engine.started.last)), outcome))
            await bench.settle()
        }
        try await refuse()
        let asked = try question(bench, key)
        #expect(asked.isProxy && asked.host == "proxy.test" && asked.port == 3128)
        try await say(bench, key, mine)
        #expect(try request(bench).proxyCredential?.user == "me")
        #expect(try request(bench).credential == nil)
        try await refuse()
        #expect(try question(bench, key).failures == 1)
        try await say(bench, key, .deliver)
        #expect(try bench.task(key)?.error?.code == ErrorCode.authenticationRequired)
    }

    // MARK: Redirects

    @Test func aRedirectIsProposedAndFollowedAsTheOwnerSays() async throws {
        let bench = try bench([.redirect])
        let key = try await started(bench)
        #expect(try !request(bench).followsRedirects)
        let next = EngineRedirect(
            url: "http://127.0.0.1:8765/b", method: "GET", headers: [EngineHeader(name: "A", value: "b")],
            sendsBody: false)
        try await answer(bench, key, 302, ["Location": "/b"], redirect: next)
        guard case .redirect(let response, let proposed)? = bench.scheduler.dialogues.question(key)?.question
        else { return #expect(Bool(false)) }
        #expect(response.status == 302)
        #expect(proposed.url == next.url && proposed.headers == [HeaderField("A", "b")])
        var wanted = proposed
        wanted.url = "http://127.0.0.1:8765/c"
        try await say(bench, key, .follow(request: wanted))
        #expect(try request(bench).url == "http://127.0.0.1:8765/c")
        #expect(try request(bench).headers == [EngineHeader(name: "A", value: "b")])
        // Without a request the redirect itself is the answer.
        try await answer(bench, key, 302, ["Location": "/b"], redirect: next)
        try await say(bench, key, .deliver)
        #expect(try bench.task(key)?.response?.status == 302)
        #expect(try bench.events() == [.downloaded(path: "", bytes: 9), .completed(error: nil)])
    }

    @Test func aLoopThatTheOwnerFollowsHasAnEnd() async throws {
        let bench = try bench([.redirect])
        let key = try await started(bench)
        let next = EngineRedirect(url: Sample.url, method: "GET", headers: [], sendsBody: false)
        for _ in 0..<Dialogues.mostRedirects {
            try await answer(bench, key, 302, ["Location": "/"], redirect: next)
            try await say(bench, key, .follow(request: RequestRecord(url: Sample.url)))
        }
        try await answer(bench, key, 302, ["Location": "/"], redirect: next)
        #expect(try bench.task(key)?.error?.code == ErrorCode.tooManyRedirects)
    }

    @Test func withoutTheQuestionLibcurlFollows() async throws {
        let bench = try bench()
        _ = try await started(bench)
        #expect(try request(bench).followsRedirects)
    }
}
