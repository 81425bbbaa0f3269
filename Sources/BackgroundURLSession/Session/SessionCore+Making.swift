// Making tasks. A task that cannot come to anything gets its object all the same, and fails when resumed.
import Foundation
import TransferProtocol

extension SessionCore {
    func makeDownload(
        _ request: URLRequest, for recipient: Recipient = .delegate,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) -> URLSessionDownloadTask {
        let making = beginMaking(of: request)
        var fields = TaskFields(kind: .download, request: request)
        fields.recipient = recipient
        fields.delegate = delegate
        let task = URLSessionDownloadTask(core: self, identifier: making.identifier, fields: fields)
        create(
            task,
            CreateTask(
                identifier: making.identifier, token: Self.token(), kind: .download,
                request: RequestRecord(request)), making)
        return task
    }

    func makeDownload(
        resumeData: Data, renewing renewed: [HeaderField] = [], for recipient: Recipient = .delegate,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) -> URLSessionDownloadTask {
        var head = ResumeDataHead(resumeData)
        head?.request.renew(renewed)
        let making = beginMaking()
        var fields = TaskFields(kind: .download, request: head.flatMap { URLRequest($0.request) })
        fields.recipient = recipient
        fields.delegate = delegate
        let task = URLSessionDownloadTask(core: self, identifier: making.identifier, fields: fields)
        var call = CreateTask(
            identifier: making.identifier, token: Self.token(), kind: .download,
            request: head?.request ?? RequestRecord(url: ""))
        call.resumeData = resumeData
        if !renewed.isEmpty { call.renewing = renewed }
        let unreadable = ErrorRecord(
            ErrorCode.unknown,
            "The resume data cannot be read: it was not made by this service, or was damaged.")
        tell(task, call, making.failure ?? (head == nil ? unreadable : nil))
        return task
    }

    func makeUpload(
        _ request: URLRequest, file: URL, for recipient: Recipient = .delegate,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) -> URLSessionUploadTask {
        let source = UploadSource.check(file)
        return makeUpload(request, recipient, delegate) { call in
            switch source {
            case .success(let source):
                call.source = source
                return nil
            case .failure(let error): return error
            }
        }
    }

    /// On a process-bound session only.
    func makeUpload(
        _ request: URLRequest, body: Data, for recipient: Recipient = .delegate,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) -> URLSessionUploadTask {
        var request = request
        request.httpBodyStream = nil
        request.httpBody = body
        return makeUpload(request, recipient, delegate) { _ in nil }
    }

    /// On a process-bound session only. A request without a stream has the delegate asked for one.
    func makeUpload(streamed request: URLRequest) -> URLSessionUploadTask {
        makeUpload(request, .delegate, nil, isStreamed: true) { _ in nil }
    }

    private func makeUpload(
        _ request: URLRequest, _ recipient: Recipient, _ delegate: (any URLSessionTaskDelegate)?,
        isStreamed: Bool = false,
        source: (inout CreateTask) -> ErrorRecord?
    ) -> URLSessionUploadTask {
        var making = beginMaking(of: request)
        var fields = TaskFields(kind: .upload, request: request)
        fields.recipient = recipient
        fields.delegate = delegate
        var call = CreateTask(
            identifier: making.identifier, token: Self.token(), kind: .upload,
            request: RequestRecord(request, defaultMethod: "POST"))
        let failure = source(&call)
        fields.expectedToSend = call.source?.size
        let task = URLSessionUploadTask(core: self, identifier: making.identifier, fields: fields)
        making.failure = making.failure ?? failure
        create(task, call, making, isStreamed: isStreamed)
        return task
    }

    /// Uploads on Linux begin at 0.
    func makeUpload(
        resumeData: Data, for recipient: Recipient = .delegate,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) -> URLSessionUploadTask {
        let making = beginMaking()
        var fields = TaskFields(kind: .upload, request: nil)
        fields.recipient = recipient
        fields.delegate = delegate
        let failure = ErrorRecord(
            ErrorCode.unknown,
            "Uploads cannot be resumed on Linux: make the upload task anew from its file.")
        fields.failure = making.failure ?? failure
        let task = URLSessionUploadTask(core: self, identifier: making.identifier, fields: fields)
        tellOfMaking(task)
        return task
    }

    func makeData(
        _ request: URLRequest, for recipient: Recipient = .delegate,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) -> URLSessionDataTask {
        let making = beginMaking(of: request)
        var fields = TaskFields(kind: .data, request: request)
        fields.recipient = recipient
        fields.delegate = delegate
        let task = URLSessionDataTask(core: self, identifier: making.identifier, fields: fields)
        create(
            task,
            CreateTask(
                identifier: making.identifier, token: Self.token(), kind: .data,
                request: RequestRecord(request)), making)
        return task
    }

    /// A download with the identity of a data task that becomes it.
    func replace(_ task: URLSessionDataTask) -> URLSessionDownloadTask {
        var fields = task.fields.with { old in
            defer {
                old.state = .completed
                old.answer = nil
            }
            return old
        }
        fields.kind = .download
        let download = URLSessionDownloadTask(core: self, identifier: task.taskIdentifier, fields: fields)
        state.with { $0.tasks[task.taskIdentifier] = download }
        return download
    }

    struct Making {
        var identifier: Int
        /// What already stands in the way.
        var failure: ErrorRecord?
        /// A protocol class of the app's wants the request.
        var isAnsweredHere = false
    }

    /// The next identifier, waiting for the session's first attachment. Until `endMaking`, on the same thread, no
    /// other task of the session gets a number: the app is called before.
    func beginMaking(of request: URLRequest? = nil) -> Making {
        let isAnsweredHere = request.flatMap { ProtocolLoad.choose(protocolClasses, $0) } != nil
        link.tryAgain()
        let outcome = link.outcome()
        numbering.lock()
        let (identifier, isInvalid) = state.with { state -> (Int, Bool) in
            defer { state.nextIdentifier += 1 }
            if case .none = state.invalidation { return (state.nextIdentifier, false) }
            return (state.nextIdentifier, true)
        }
        if isInvalid {
            Complaint.print(
                "A task was made on the URLSession \(self.identifier), which has been invalidated."
            )
            return Making(identifier: identifier, failure: .madeOnInvalidSession)
        }
        switch outcome {
        case .attached: return Making(identifier: identifier, isAnsweredHere: isAnsweredHere)
        case .failed(let error): return Making(identifier: identifier, failure: ErrorRecord(error))
        case .closed: return Making(identifier: identifier, failure: .madeOnInvalidSession)
        }
    }

    /// The service has been told of the task, or never will be.
    func endMaking() { numbering.unlock() }

    /// Gives the task its body and whoever answers it, and tells the service of it, unless there is an objection.
    /// - Parameter isStreamed: the body is a stream, of the request's or the delegate's.
    private func create(
        _ task: URLSessionTask, _ call: CreateTask, _ making: Making, isStreamed: Bool = false
    ) {
        guard let request = task.originalRequest else { return tell(task, call, making.failure) }
        if !isProcessBound, request.httpBodyStream != nil {
            refuse(
                "a background session takes no body streams: they do not outlive the process; "
                    + "use a file or data")
        }
        if making.failure == nil, making.isAnsweredHere {
            return answer(task, by: ProtocolLoad(request, core: self, task: task))
        }
        var call = call
        var objection = making.failure ?? RequestRecord.objection(to: request)
        let isDeferred = isStreamed || call.source == nil && request.httpBodyStream != nil
        if objection == nil, call.source == nil, !isDeferred, let body = request.httpBody {
            task.fields.with { $0.expectedToSend = Int64(body.count) }
            switch BodyFile.write(body, in: access.home) {
            case .success(let path): call.request.bodyFile = path
            case .failure(let error): objection = error
            }
        }
        if objection == nil, call.kind == .data || isProcessBound && call.kind == .upload {
            switch PipeReader.make(in: access.home) {
            case .success(let reader):
                call.pipe = reader.path
                task.fields.with { $0.answer = AnswerStream(core: self, task: task, source: reader) }
            case .failure(let error): objection = error
            }
        }
        guard isDeferred, objection == nil else { return tell(task, call, objection) }
        task.fields.with { $0.deferred = DeferredBody(call: call, stream: request.httpBodyStream) }
        keep(task)
        tellOfMaking(task)
    }

    private func answer(_ task: URLSessionTask, by load: ProtocolLoad) {
        task.fields.with {
            $0.load = load
            $0.answer = AnswerStream(core: self, task: task, source: load)
        }
        keep(task)
        tellOfMaking(task)
    }

    /// Tells the service of the task, unless it cannot come to anything.
    private func tell(_ task: URLSessionTask, _ call: CreateTask, _ objection: ErrorRecord?) {
        task.fields.with { fields in
            fields.failure = objection
            fields.isInService = objection == nil
        }
        if objection == nil {
            keep(task)
            send(call, of: task)
        }
        tellOfMaking(task)
    }

    func keep(_ task: URLSessionTask) {
        let session = state.with { state in
            state.tasks[task.taskIdentifier] = task
            return state.session
        }
        task.fields.with { $0.session = session }
    }

    func send(_ call: CreateTask, of task: URLSessionTask) {
        var dressed = call
        if call.resumeData == nil { dressed.request = dress(call.request, of: task) }
        link.send(dressed) { [self] result in
            guard case .failure(let failure) = result else { return }
            couldNotMake(task, failure, call.kind)
        }
    }

    private func couldNotMake(_ task: URLSessionTask, _ failure: LinkFailure, _ kind: TaskKind) {
        switch failure {
        case .refused(let error):
            note(refusal: .refused(message: error.message))
            fail(task, ErrorRecord(refusedTask: error, kind: kind))
        case .unavailable(let error):
            fail(task, ErrorRecord(error))
        }
    }

    /// Apple's rule: on the thread that makes the task, before the method returns.
    private func tellOfMaking(_ task: URLSessionTask) {
        endMaking()
        tell(task, (any URLSessionTaskDelegate).self) { $1.urlSession($0, didCreateTask: task) }
    }

    static func token() -> String { UUID().uuidString }
}
