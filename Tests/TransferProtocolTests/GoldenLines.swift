// One of each message, in the order of Tests/Fixtures/wire-v1.jsonl. Those lines are version 1 of the
// protocol: a line that has to change means a new version, a new message a new line.
import Foundation

@testable import TransferProtocol

/// A message, and how it is read and written again.
struct Golden: Sendable {
    var name: String
    var line: @Sendable () throws -> Data
    var again: @Sendable (Data) throws -> Data

    static func call<Call: ServiceCall>(_ call: Call, id: MessageID = .number(1)) -> Golden {
        Golden(
            name: Call.method,
            line: { try JSONRPC.request(call, id: id) },
            again: { line in
                let envelope = try MessageEnvelope(line: line)
                guard envelope.method == Call.method, let id = envelope.id else { throw Unexpected() }
                return try JSONRPC.request(JSONRPC.params(Call.self, in: line), id: id)
            })
    }

    static func reply<Result: Codable & Sendable>(_ result: Result, id: MessageID = .number(1)) -> Golden {
        Golden(
            name: "reply \(Result.self)",
            line: { try JSONRPC.reply(result, to: id) },
            again: { line in
                let envelope = try MessageEnvelope(line: line)
                guard envelope.method == nil, envelope.error == nil, let id = envelope.id else {
                    throw Unexpected()
                }
                return try JSONRPC.reply(JSONRPC.result(Result.self, in: line), to: id)
            })
    }

    static func note<Note: ServiceNotification>(_ note: Note) -> Golden {
        Golden(
            name: Note.method,
            line: { try JSONRPC.notification(note) },
            again: { line in
                let envelope = try MessageEnvelope(line: line)
                guard envelope.method == Note.method, envelope.id == nil else { throw Unexpected() }
                return try JSONRPC.notification(JSONRPC.params(Note.self, in: line))
            })
    }

    static func failure(_ error: RPCError, id: MessageID? = .number(1)) -> Golden {
        Golden(
            name: "failure \(error.code)",
            line: { try JSONRPC.failure(error, to: id) },
            again: { line in
                let envelope = try MessageEnvelope(line: line)
                guard let error = envelope.error else { throw Unexpected() }
                return try JSONRPC.failure(error, to: envelope.id)
            })
    }

    struct Unexpected: Error {}
}

extension Golden {
    static let all: [Golden] = calls + replies + notes + failures + added

    static let calls: [Golden] = [
        .call(
            {
                var hello = Hello(client: "bgtool", version: 1); hello.product = "0.1.0"; return hello
            }()),
        .call(Shutdown(), id: .string("last")),
        .call(
            AttachSession(
                identifier: "nightly", configuration: SessionConfigurationRecord(), purpose: .queue,
                patience: 0)),
        .call(
            AttachSession(
                identifier: "nightly", configuration: fullConfiguration, purpose: .own, patience: 2.5)),
        .call(
            CreateTask(identifier: 1, token: token, kind: .data, request: RequestRecord(url: "http://h/"))),
        .call(fullCreation),
        .call(UpdateTask(identifier: 3)),
        .call(fullUpdate),
        .call(ResumeTask(identifier: 3)),
        .call(SuspendTask(identifier: 3)),
        .call(CancelTask(identifier: 3, keeping: true)),
        .call(ListTasks()),
        .call(ListTasks(after: 1 << 60, limit: 2)),
        .call(Flush()),
        .call(AdminTasks(client: nil, session: nil)),
        .call(AdminTasks(client: "bgtool", session: "nightly", after: 5, limit: 10)),
        .call(describedTasks),
        .call(AdminSessions()),
        .call(AdminDiscard(key: 12)),
        .call(AdminService()),
    ]

    static let replies: [Golden] = [
        .reply(Hello.Result(version: 1, product: "0.1.0", pid: 4242)),
        .reply(NoContent(), id: .string("last")),
        .reply(AttachSession.Result(nextTaskIdentifier: 7, waitingEvents: 2)),
        .reply(CancelTask.Result(resumeData: Data([0, 1, 254, 255]))),
        .reply(CancelTask.Result(resumeData: nil)),
        .reply(ListTasks.Result(tasks: [bareTask, fullTask], next: 12)),
        .reply(ListTasks.Result(tasks: [], next: nil)),
        .reply(
            AdminSessions.Result(sessions: [
                SessionSummary(client: "bgtool", identifier: "a/ü", owner: 77, pending: 1, undelivered: 2),
                SessionSummary(client: "bgtool", identifier: "b", owner: nil, pending: 0, undelivered: 0),
            ])),
        .reply(
            AdminService.Result(
                pid: 1, product: "0.1.0", home: "/home/me/.local/state/urlsessiond", started: moment,
                connections: 2, running: 3, queued: 4, waiting: 5, undelivered: 6)),
    ]

    static let notes: [Golden] = [
        .note(AcknowledgeEvent(sequence: 9)),
        .note(DeliverEvent(sequence: 5, event: .resumed(offset: 10, expected: 20), task: bareTask)),
        .note(DeliverEvent(sequence: 6, event: .resumed(offset: 10, expected: nil), task: bareTask)),
        .note(DeliverEvent(sequence: 7, event: .downloaded(path: "/d/1.body", bytes: 20), task: bareTask)),
        .note(DeliverEvent(sequence: 8, event: .answered(path: "/d/2.body", bytes: 0), task: bareTask)),
        .note(DeliverEvent(sequence: 9, event: .completed(error: nil), task: bareTask)),
        .note(DeliverEvent(sequence: 10, event: .completed(error: fullError), task: bareTask)),
        .note(
            ReportProgress(tasks: [
                ProgressNote(identifier: 1, received: 5, expected: nil, sent: 0, expectedToSend: nil),
                ProgressNote(identifier: 2, received: 0, expected: 9, sent: 1 << 40, expectedToSend: 1 << 41),
            ])),
        .note(ReportTask(task: fullTask)),
        .note(EventsFinished()),
    ]

    static let failures: [Golden] = [
        .failure(.parse("not JSON"), id: nil),
        .failure(.invalidRequest("no method")),
        .failure(.methodNotFound("task.fly"), id: .string("x")),
        .failure(.invalidParams("identifier: expected a number")),
        .failure(.refused(.sessionInUse, "the session is in use by process 77", pid: 77)),
        .failure(.refused(.versionMismatch, "this service speaks version 1", version: 1)),
        .failure(.refused(.notAttached, "attach a session first")),
        .failure(.refused(.noSuchTask, "no task 5")),
        .failure(.refused(.storeFailed, "no room on the disk")),
        .failure(.refused(.leaving, "the service is leaving")),
    ]

    /// New lines go to the file's end.
    static let added: [Golden] = [
        .call(lessonCreation),
        .note(AcknowledgeEvent(sequence: 9, withheld: true)),
        .note(DeliverEvent(sequence: 11, event: .completed(error: nil), task: grownTask)),
        .call(grownCreation),
        .call(
            AttachSession(identifier: "bound", configuration: grownConfiguration, purpose: .own, patience: 0)),
        .call(
            {
                var attach = AttachSession(
                    identifier: "films", configuration: wakingConfiguration, purpose: .own, patience: 1)
                attach.visit = "4-6F9619FF-8B86-D011-B42D-00C04FC964FF"
                return attach
            }()),
        .call(CloseVisit(visit: "4-6F9619FF-8B86-D011-B42D-00C04FC964FF")),
        .call(AdminForceQuit(client: "bgtool", endsProcesses: true)),
        .call(AdminClient(client: "bgtool", allowsBackground: false)),
        .note(AskToBegin(identifier: 4)),
        .call(BeginTask(identifier: 4, request: RequestRecord(url: "http://h/"))),
        .note(ReportTask(task: termsTask)),
        .call(EnqueueMissing(task: lessonCreation)),
        .reply(EnqueueMissing.Result(existing: 3)),
        .call(
            AttachSession(
                identifier: "nightly", configuration: askingConfiguration, purpose: .own, patience: 0)),
        .call(CreateTask(identifier: 1, token: token, kind: .data, request: grownRequest)),
        .call(
            AnswerQuestion(
                identifier: 2, number: 5,
                answer: .credential(user: "me", password: "p", remembers: true))),
        .call(AnswerQuestion(identifier: 2, number: 5, answer: .deliver)),
        .call(AnswerQuestion(identifier: 2, number: 5, answer: .reject)),
        .call(AnswerQuestion(identifier: 2, number: 5, answer: .cancel)),
        .call(
            AnswerQuestion(
                identifier: 2, number: 5, answer: .follow(request: RequestRecord(url: "http://h/b")))),
        .call(ResetSession()),
        .note(AskOwner(number: 5, question: .challenge(challenge), task: bareTask)),
        .note(
            AskOwner(
                number: 6,
                question: .redirect(
                    response: ResponseRecord(url: "http://h/", status: 302),
                    request: RequestRecord(url: "http://h/b")), task: bareTask)),
    ]

    // MARK: - Values with every member set

    static let token = "6F9619FF-8B86-D011-B42D-00C04FC964FF"

    static let moment = Date(timeIntervalSince1970: 1_800_000_000.5)

    /// With every member there is.
    static let wakingConfiguration: SessionConfigurationRecord = {
        var configuration = grownConfiguration
        configuration.launchCommand = wakingCommand
        return configuration
    }()

    static let wakingCommand = LaunchCommandRecord(
        arguments: ["/usr/bin/films", "--woken"], folder: "/home/me", environment: ["LANG": "C"], mask: 18)

    static let fullConfiguration: SessionConfigurationRecord = {
        var configuration = SessionConfigurationRecord()
        configuration.timeoutForRequest = 30.5
        configuration.timeoutForResource = 100
        configuration.maximumConnectionsPerHost = 2
        configuration.isDiscretionary = true
        configuration.sendsLaunchEvents = false
        configuration.allowsCellularAccess = false
        configuration.allowsExpensiveNetworkAccess = false
        configuration.allowsConstrainedNetworkAccess = false
        configuration.additionalHeaders = [HeaderField("User-Agent", "x/1"), HeaderField("X", "")]
        configuration.proxies.http = "http://p:1"
        configuration.proxies.https = "http://p:2"
        configuration.proxies.all = "socks5h://p:3"
        configuration.proxies.exceptions = "localhost"
        configuration.certificateFile = "/ca.pem"
        configuration.certificateFolder = "/ca"
        return configuration
    }()

    /// With the members that came after the first release of version 1.
    static let grownConfiguration: SessionConfigurationRecord = {
        var configuration = fullConfiguration
        configuration.isProcessBound = true
        configuration.isEphemeral = true
        configuration.waitsForConnectivity = true
        return configuration
    }()

    static let fullRequest: RequestRecord = {
        var request = RequestRecord(
            url: "https://host/a%20b?x=\"ü\"&y=/", method: "PUT",
            headers: [HeaderField("X-Twice", "1"), HeaderField("x-twice", "2")], timeout: 1.25,
            bodyFile: "/in/1")
        request.allowsCellularAccess = false
        request.allowsExpensiveNetworkAccess = true
        request.allowsConstrainedNetworkAccess = false
        return request
    }()

    static let source: UploadSource = {
        var status = stat()
        status.st_dev = 1
        status.st_ino = .max
        status.st_size = 3
        status.st_mtim = timespec(tv_sec: 4, tv_nsec: 5)
        return UploadSource(path: "/home/me/\u{1F41F}", status: status)
    }()

    static let lessonCreation: CreateTask = {
        var create = CreateTask(
            identifier: 7, token: token, kind: .download,
            request: RequestRecord(url: "http://127.0.0.1:8765/audiobook"))
        create.description = "audiobook-42"
        return create
    }()

    static let fullCreation: CreateTask = {
        var create = CreateTask(identifier: 2, token: token, kind: .upload, request: fullRequest)
        create.description = "line\nbreak and \u{0} and \u{2028}"
        create.source = source
        create.resumeData = Data("resume".utf8)
        return create
    }()

    /// With the members that came after the first release of version 1.
    static let grownCreation: CreateTask = {
        var create = fullCreation
        create.pipe = "/in/2.pipe"
        create.renewing = [HeaderField("Authorization", "Bearer new")]
        return create
    }()

    static let describedTasks: AdminTasks = {
        var tasks = AdminTasks(client: "bgtool", session: "nightly")
        tasks.description = "audiobook-42"
        return tasks
    }()

    static let fullUpdate: UpdateTask = {
        var update = UpdateTask(identifier: 3)
        update.description = ""
        update.priority = 0.75
        update.earliestBeginDate = moment
        update.clientExpectsToSend = 1
        update.clientExpectsToReceive = 2
        return update
    }()

    static let fullError: ErrorRecord = {
        var error = ErrorRecord(-999, "cancelled", url: "https://host/", path: "/x")
        error.cancelledReason = 0
        error.resumeData = Data("resume".utf8)
        return error
    }()

    /// With the members that came after the first release of version 1.
    static let termsTask: TaskSnapshot = {
        var task = grownTask
        task.conditions = TaskConditions(fullConfiguration, RequestRecord(url: "http://h/"))
        return task
    }()

    static let grownTask: TaskSnapshot = {
        var task = fullTask
        task.metrics = metrics
        return task
    }()

    static let askingConfiguration: SessionConfigurationRecord = {
        var configuration = wakingConfiguration
        configuration.additionalCertificateFile = "/more.pem"
        configuration.pinnedKeys = ["sha256//AAAA"]
        configuration.identity = IdentityRecord(
            certificateFile: "/me.pem", keyFile: "/me.key", password: "p")
        configuration.answers = [.challenge, .redirect]
        configuration.cookies = CookieRecord(sends: true, accepts: "mainDocument")
        configuration.cookies?.inMemory = true
        return configuration
    }()

    static let grownRequest: RequestRecord = {
        var request = fullRequest
        request.mainDocument = "example.org"
        request.handlesCookies = false
        return request
    }()

    static let challenge = ChallengeRecord(
        scheme: "digest", realm: "r", host: "h", port: 80, transport: "http", failures: 1,
        response: ResponseRecord(url: "http://h/", status: 401))

    static let metrics: TaskMetrics = {
        var transaction = TransactionRecord(url: "http://h/", method: "GET", start: moment, end: 7.5)
        transaction.response = ResponseRecord(url: "http://h/", status: 200)
        transaction.lookupEnd = 0.125
        transaction.connectEnd = 0.25
        transaction.secureEnd = 0.5
        transaction.requestStart = 1
        transaction.requestEnd = 2
        transaction.responseStart = 3
        transaction.requestHeaderBytes = 1
        transaction.requestBodyBytes = 2
        transaction.responseHeaderBytes = 3
        transaction.responseBodyBytes = 4
        transaction.decodedBodyBytes = 5
        transaction.protocolName = "http/1.1"
        transaction.tlsVersion = 772
        transaction.tlsSuite = 4865
        transaction.localAddress = "127.0.0.1"
        transaction.localPort = 6
        transaction.remoteAddress = "::1"
        transaction.remotePort = 7
        transaction.isReused = true
        transaction.isProxied = true
        transaction.redirects = 8
        return TaskMetrics(created: moment, ended: moment, transactions: [transaction])
    }()

    static let bareTask = TaskSnapshot(
        key: 11, identifier: 1, client: "bgtool", session: "nightly", kind: .download, state: .queued,
        wasResumed: true, description: nil, request: RequestRecord(url: "http://h/"))

    static let fullTask: TaskSnapshot = {
        var task = TaskSnapshot(
            key: 12, identifier: 2, client: "bgtool", session: "nightly", kind: .upload, state: .waiting,
            wasResumed: true, description: "d", request: fullRequest)
        task.currentRequest = RequestRecord(url: "https://elsewhere/")
        task.response = ResponseRecord(
            url: "https://elsewhere/", status: 503, version: "HTTP/2",
            headers: [HeaderField("retry-after", "5")])
        task.source = source
        task.received = 1
        task.expected = 2
        task.sent = 3
        task.expectedToSend = 4
        task.clientExpectsToSend = 5
        task.clientExpectsToReceive = 6
        task.priority = 1
        task.earliestBeginDate = moment
        task.wait = WaitNote(reason: "connection refused", attempt: 2, until: moment)
        task.error = fullError
        return task
    }()
}
