// The task.* calls: each names a task of the session that the connection owns.
import Foundation
import TransferProtocol
import TransferStore

@TransferActor
struct TaskHandlers {
    static let largestPage = 500

    let store: TransferStore
    let turn: Turn
    let scheduler: Scheduler
    let delivery: Delivery
    let ownership: Ownership
    let home: ServiceHome
    let relauncher: Relauncher
    let allowance: ClientAllowance

    func register(on router: Router) {
        router.on(CreateTask.self) { call, connection, answer in
            try make(call, connection)
            answer.succeed(NoContent())
        }
        router.on(EnqueueMissing.self, enqueueMissing)
        router.on(UpdateTask.self) { call, connection, answer in
            try scheduler.update(call, key: try task(call.identifier, connection).key)
            answer.succeed(NoContent())
        }
        router.on(ResumeTask.self) { call, connection, answer in
            try resume(try task(call.identifier, connection), of: try owner(connection))
            answer.succeed(NoContent())
        }
        router.on(SuspendTask.self) { call, connection, answer in
            try scheduler.perform(.suspend, key: try task(call.identifier, connection).key)
            answer.succeed(NoContent())
        }
        router.on(CancelTask.self) { call, connection, answer in
            try scheduler.cancel(
                key: try task(call.identifier, connection).key, keeping: call.keeping
            ) { result in
                switch result {
                case .success(let data): answer.succeed(CancelTask.Result(resumeData: data))
                case .failure(let error): answer.fail(Router.refusal(of: error))
                }
            }
        }
        router.on(BeginTask.self) { call, connection, answer in
            let key = try task(call.identifier, connection).key
            try owner(connection).asked.remove(key)
            try scheduler.begin(key: key, request: call.request)
            answer.succeed(NoContent())
        }
        router.on(ListTasks.self, list)
        router.on(AnswerQuestion.self) { call, connection, answer in
            try scheduler.answer(
                call.answer, number: call.number, key: try task(call.identifier, connection).key)
            delivery.questionAnswered(by: try owner(connection))
            answer.succeed(NoContent())
        }
        router.on(ResetSession.self) { _, connection, answer in
            scheduler.reset(session: try owner(connection).session.id)
            answer.succeed(NoContent())
        }
    }

    func owner(_ connection: Connection) throws(RPCError) -> Owner {
        guard let owner = ownership.owner(on: connection) else {
            throw .refused(.notAttached, "this connection owns no session: attach first")
        }
        return owner
    }

    func task(_ identifier: Int, _ connection: Connection) throws -> TaskRecord {
        let owner = try owner(connection)
        guard let task = try store.task(session: owner.session.id, identifier: identifier) else {
            throw RPCError.refused(.noSuchTask, "the session has no task \(identifier)")
        }
        return task
    }

    func resume(_ task: TaskRecord, of owner: Owner) throws {
        if task.firstResumed == nil {
            if let reason = try allowance.objection(to: owner.session.client) {
                return try scheduler.perform(.refuse(reason: reason), key: task.key)
            }
            if owner.visit != nil {
                try scheduler.hold(key: task.key, until: try relauncher.queued(by: owner))
            }
        }
        // One that was suspended when the person came is let go now.
        if owner.visit == nil { try scheduler.releaseHeld(key: task.key) }
        try scheduler.perform(.resume, key: task.key)
    }

    /// A repeated message changes nothing.
    func make(_ call: CreateTask, _ connection: Connection) throws {
        let owner = try owner(connection)
        guard UUID(uuidString: call.token) != nil else {
            throw RPCError.invalidParams("a task's token is a UUID")
        }
        guard let session = try store.session(id: owner.session.id) else {
            throw RPCError.refused(.notAttached, "the session's row is gone")
        }
        if let existing = try store.task(session: session.id, identifier: call.identifier) {
            guard existing.token == call.token else {
                throw RPCError.invalidRequest("the session has another task \(call.identifier)")
            }
            return
        }
        // Only what may be repeated by a later process needs it: and a task of a process-bound session whose body
        // was read first comes behind younger ones.
        let configuration = try store.configuration(session.configuration)
        guard call.identifier >= session.nextTaskIdentifier || configuration.isProcessBound == true else {
            throw RPCError.invalidRequest(
                "task identifiers only rise; the next is \(session.nextTaskIdentifier)")
        }
        // Before anything of it is used up.
        guard try store.task(session: session.id, token: call.token) == nil else {
            throw RPCError.invalidRequest("another task of the session has this token")
        }
        var task = TaskRecord(
            session: session.id, configuration: session.configuration, identifier: call.identifier,
            token: call.token, kind: call.kind, lane: "", request: call.request,
            created: scheduler.time.date)
        task.description = call.description
        task.source = call.source
        task.retryRule = RetryRule(configuration)
        try takePipe(of: call, into: &task)
        try takeBody(of: call, into: &task)
        // Without one it would send an empty body and succeed.
        guard call.kind != .upload || task.source != nil else {
            throw RPCError.invalidParams("an upload needs a source: the file that is to be sent")
        }
        if let data = call.resumeData {
            try take(data, into: &task)
            task.request.renew(call.renewing ?? [])
        }
        task.lane = RequestCheck.lane(session: session.id, url: task.request.url)
        try scheduler.create(task)
    }

    /// The answer goes where its reader waits for it; a download's goes to a file.
    private func takePipe(of call: CreateTask, into task: inout TaskRecord) throws(RPCError) {
        guard let pipe = call.pipe else { return }
        guard call.kind != .download,
            URL(fileURLWithPath: pipe).deletingLastPathComponent().path == home.incoming
        else {
            throw .invalidParams("a pipe is for data and upload tasks, and lies in the incoming folder")
        }
        task.pipe = pipe
        guard scheduler.bodies.hasReader(task) else {
            throw .invalidParams("nobody holds the other end of the task's pipe")
        }
    }

    /// A body given as data: the client left it in the incoming folder; from now on it is the service's.
    private func takeBody(of call: CreateTask, into task: inout TaskRecord) throws(RPCError) {
        guard let body = call.request.bodyFile else { return }
        guard URL(fileURLWithPath: body).deletingLastPathComponent().path == home.incoming else {
            throw .invalidParams("a body given as data must be a file in the incoming folder")
        }
        let kept = scheduler.bodies.ownSourcePath(task)
        // A repeated message finds it moved already.
        guard rename(body, kept) == 0 || errno == ENOENT, let source = UploadSource(path: kept) else {
            throw .invalidParams("the body given as data is not in the incoming folder")
        }
        task.request.bodyFile = kept
        task.source = source
    }

    /// Resume data is good for one use. Data that was used, or whose partial file is gone, starts at 0.
    private func take(_ data: Data, into task: inout TaskRecord) throws {
        guard let description = ResumeDescription(data) else {
            throw RPCError.invalidParams("this is not resume data of this service")
        }
        task.request = description.request
        // It is for a GET, whatever this data says: no path in it may ever be taken for a file of the service's.
        task.request.bodyFile = nil
        let partial = try turn.write { store throws(StoreError) in
            try store.takePartial(token: description.token)
        }
        guard let partial = partial ?? adopted(description, by: task) else { return }
        task.body = partial.file
        task.held = HeldBody(response: description.held.response, total: description.held.total)
        task.expected = description.held.total
        task.received = description.received
        task.resumeOffset = description.received
        task.syncedOffset = partial.syncedOffset
        task.boot = partial.boot
    }

    /// The partial file of another service's, if it is where the resume data says.
    private func adopted(_ description: ResumeDescription, by task: TaskRecord) -> PartialRecord? {
        guard let file = description.file, scheduler.bodies.partials.adopt(file, as: task) else { return nil }
        return PartialRecord(
            token: description.token, file: task.body, bytes: description.received, created: Date(),
            syncedOffset: description.syncedOffset ?? 0, boot: description.boot)
    }

    private func list(
        _ call: ListTasks, _ connection: Connection, _ answer: Answer<ListTasks.Result>
    ) throws {
        let owner = try owner(connection)
        let limit = max(1, min(call.limit, Self.largestPage))
        let page = try store.tasks(session: owner.session.id, after: call.after, limit: limit)
        answer.succeed(
            ListTasks.Result(
                tasks: page.tasks.map { TaskSnapshot(scheduler.current($0), session: owner.session) },
                next: page.next))
    }
}
