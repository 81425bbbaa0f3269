// A request's body that comes from a stream: read into a file when the task begins, since a redirect or a
// challenge may want it again. Then the service is told of the task.
import Foundation
import FoundationNetworking
import TransferProtocol

struct DeferredBody: @unchecked Sendable {
    // Unchecked: the stream has one user at a time, the thread that reads it.
    var call: CreateTask
    /// Nil: the delegate is asked for one.
    var stream: InputStream?
}

extension SessionCore {
    /// Reads the body and goes on with the task. With the task's `commands` held.
    func spool(_ body: DeferredBody, for task: URLSessionTask) {
        if body.stream != nil { return read(body, for: task) }
        deliveries.append { [self] in
            ask(
                task, (any URLSessionTaskDelegate).self,
                { session, delegate, answer in
                    delegate.urlSession(session, task: task, needNewBodyStream: { answer(Stream($0)) })
                },
                { [self] (stream: Stream?) in
                    var body = body
                    body.stream = stream?.stream
                    read(body, for: task)
                })
        }
    }

    private struct Stream: @unchecked Sendable {
        var stream: InputStream?
        init(_ stream: InputStream?) { self.stream = stream }
    }

    /// Streams may block, and take as long as they like: each is read on a thread of its own.
    private func read(_ body: DeferredBody, for task: URLSessionTask) {
        Thread { [self] in
            guard let stream = body.stream else {
                return fail(
                    task,
                    ErrorRecord(
                        ErrorCode.unknown,
                        "The upload needs a body: the delegate's needNewBodyStream gave no stream."))
            }
            switch BodyFile.write(stream, in: access.home, isWanted: { task.state != .completed }) {
            case .success(let path): create(task, body.call, bodyFile: path)
            case .failure(let error): fail(task, error)
            }
        }.start()
    }

    private func create(_ task: URLSessionTask, _ call: CreateTask, bodyFile: String) {
        task.commands.lock()
        defer { task.commands.unlock() }
        var call = call
        call.request.bodyFile = bodyFile
        let (isWanted, runs) = task.fields.with { fields in
            let isWanted = fields.state == .running || fields.state == .suspended
            fields.isInService = isWanted
            return (isWanted, fields.state == .running)
        }
        guard isWanted else {
            unlink(bodyFile)
            return
        }
        send(call, of: task)
        sendWishes(task)
        if runs { sendResume(task) }
    }

    /// What the app has said of the task before the service knew it.
    private func sendWishes(_ task: URLSessionTask) {
        var call = UpdateTask(identifier: task.taskIdentifier)
        task.fields.with { fields in
            call.description = fields.description
            call.priority = Double(fields.priority)
            call.earliestBeginDate = fields.earliestBeginDate
        }
        link.send(call) { _ in }
    }
}
