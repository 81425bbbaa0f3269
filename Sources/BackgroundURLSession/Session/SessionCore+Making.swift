// Making tasks. A task that cannot come to anything gets its object all the same, and fails when resumed.
import Foundation
import TransferProtocol

extension SessionCore {
    func makeDownload(_ request: URLRequest) -> URLSessionDownloadTask {
        if request.httpBodyStream != nil {
            refuse(
                "a background session takes no body streams: they do not outlive the process; "
                    + "use a file or data")
        }
        var record = RequestRecord(request)
        var objection = RequestRecord.objection(to: request)
        let making = beginMaking()
        if let body = request.httpBody, objection == nil, making.failure == nil {
            switch BodyFile.write(body, in: access.home) {
            case .success(let path): record.bodyFile = path
            case .failure(let error): objection = error
            }
        }
        var fields = TaskFields(kind: .download, request: request)
        fields.expectedToSend = request.httpBody.map { Int64($0.count) }
        fields.failure = making.failure ?? objection
        let task = URLSessionDownloadTask(core: self, identifier: making.identifier, fields: fields)
        create(
            task,
            CreateTask(
                identifier: making.identifier, token: Self.token(), kind: .download, request: record))
        return task
    }

    func makeDownload(resumeData: Data, renewing renewed: [HeaderField] = []) -> URLSessionDownloadTask {
        var head = ResumeDataHead(resumeData)
        head?.request.renew(renewed)
        let making = beginMaking()
        var fields = TaskFields(kind: .download, request: head.flatMap { URLRequest($0.request) })
        fields.failure = making.failure
        let task = URLSessionDownloadTask(core: self, identifier: making.identifier, fields: fields)
        var call = CreateTask(
            identifier: making.identifier, token: Self.token(), kind: .download,
            request: head?.request ?? RequestRecord(url: ""))
        call.resumeData = resumeData
        if !renewed.isEmpty { call.renewing = renewed }
        if head == nil, fields.failure == nil {
            let error = ErrorRecord(
                ErrorCode.unknown,
                "The resume data cannot be read: it was not made by this service, or was damaged.")
            task.fields.with { $0.failure = error }
        }
        create(task, call)
        return task
    }

    func makeUpload(_ request: URLRequest, file: URL) -> URLSessionUploadTask {
        let making = beginMaking()
        var fields = TaskFields(kind: .upload, request: request)
        var call = CreateTask(
            identifier: making.identifier, token: Self.token(), kind: .upload,
            request: RequestRecord(request, defaultMethod: "POST"))
        fields.failure = making.failure ?? RequestRecord.objection(to: request)
        switch UploadSource.check(file) {
        case .success(let source):
            call.source = source
            fields.expectedToSend = source.size
        case .failure(let error):
            fields.failure = fields.failure ?? error
        }
        let task = URLSessionUploadTask(core: self, identifier: making.identifier, fields: fields)
        create(task, call)
        return task
    }

    func makeFailedUpload(_ failure: ErrorRecord) -> URLSessionUploadTask {
        let making = beginMaking()
        var fields = TaskFields(kind: .upload, request: nil)
        fields.failure = making.failure ?? failure
        let task = URLSessionUploadTask(core: self, identifier: making.identifier, fields: fields)
        tellOfMaking(task)
        return task
    }

    func makeData(_ request: URLRequest) -> URLSessionDataTask {
        let making = beginMaking()
        var fields = TaskFields(kind: .data, request: request)
        fields.failure = making.failure ?? RequestRecord.objection(to: request)
        let task = URLSessionDataTask(core: self, identifier: making.identifier, fields: fields)
        create(
            task,
            CreateTask(
                identifier: making.identifier, token: Self.token(), kind: .data,
                request: RequestRecord(request)))
        return task
    }

    /// The next identifier, waiting for the session's first attachment; and what already stands in the way.
    private func beginMaking() -> (identifier: Int, failure: ErrorRecord?) {
        link.tryAgain()
        let outcome = link.outcome()
        let (identifier, isInvalid) = state.with { state -> (Int, Bool) in
            defer { state.nextIdentifier += 1 }
            if case .none = state.invalidation { return (state.nextIdentifier, false) }
            return (state.nextIdentifier, true)
        }
        if isInvalid {
            Complaint.print(
                "A task was made on the background URLSession \(self.identifier), which has been invalidated."
            )
            return (identifier, .madeOnInvalidSession)
        }
        switch outcome {
        case .attached: return (identifier, nil)
        case .failed(let error): return (identifier, ErrorRecord(error))
        case .closed: return (identifier, .madeOnInvalidSession)
        }
    }

    /// Tells the service of the task, unless it cannot come to anything.
    private func create(_ task: URLSessionTask, _ call: CreateTask) {
        let isHopeless = task.fields.with { fields in
            fields.isInService = fields.failure == nil
            return fields.failure != nil
        }
        if !isHopeless {
            state.with { $0.tasks[task.taskIdentifier] = task }
            link.send(call) { [self] result in
                guard case .failure(let failure) = result else { return }
                couldNotMake(task, failure, call.kind)
            }
        }
        tellOfMaking(task)
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
        guard let (session, delegate) = audience((any URLSessionTaskDelegate).self) else { return }
        delegate.urlSession(session, didCreateTask: task)
    }

    private static func token() -> String { UUID().uuidString }
}
