// JSON-RPC: the envelope, and every message of either side. Whatever is understood must survive being
// written and read again, as one line.
import Foundation
import TransferProtocol

func fuzzMessages(_ input: [UInt8]) {
    let line = Data(input)
    if let envelope = try? MessageEnvelope(line: line) { checkID(envelope) }

    checkCall(Hello.self, line)
    checkCall(Shutdown.self, line)
    checkCall(AttachSession.self, line)
    checkCall(CreateTask.self, line)
    checkCall(UpdateTask.self, line)
    checkCall(ResumeTask.self, line)
    checkCall(SuspendTask.self, line)
    checkCall(CancelTask.self, line)
    checkCall(ListTasks.self, line)
    checkCall(Flush.self, line)
    checkCall(AdminTasks.self, line)
    checkCall(AdminSessions.self, line)
    checkCall(AdminDiscard.self, line)
    checkCall(AdminService.self, line)

    checkNotification(AcknowledgeEvent.self, line)
    checkNotification(DeliverEvent.self, line)
    checkNotification(ReportProgress.self, line)
    checkNotification(ReportTask.self, line)
    checkNotification(EventsFinished.self, line)
}

private func checkID(_ envelope: MessageEnvelope) {
    guard let id = envelope.id else { return }
    let reply = check("a reply") { try JSONRPC.reply(NoContent(), to: id) }
    promise((try? MessageEnvelope(line: reply))?.id == id, "a reply carries the id of its request")
    if let error = envelope.error {
        let failure = check("a failure") { try JSONRPC.failure(error, to: id) }
        promise((try? MessageEnvelope(line: failure))?.error == error, "an error comes back as it was")
    }
}

private func checkCall<Call: ServiceCall>(_ type: Call.Type, _ line: Data) {
    if let call = try? JSONRPC.params(type, in: line) {
        let written = check(Call.method) { try JSONRPC.request(call, id: .number(1)) }
        let again = check(Call.method) {
            try JSONRPC.request(try JSONRPC.params(type, in: written), id: .number(1))
        }
        promise(written == again, "\(Call.method) says the same when it is read back")
    }
    if let result = try? JSONRPC.result(Call.Result.self, in: line) {
        let written = check(Call.method) { try JSONRPC.reply(result, to: .number(1)) }
        let again = check(Call.method) {
            try JSONRPC.reply(try JSONRPC.result(Call.Result.self, in: written), to: .number(1))
        }
        promise(written == again, "the answer to \(Call.method) says the same when it is read back")
    }
}

private func checkNotification<Note: ServiceNotification & Codable>(_ type: Note.Type, _ line: Data) {
    guard let note = try? JSONRPC.params(type, in: line) else { return }
    let written = check(Note.method) { try JSONRPC.notification(note) }
    let again = check(Note.method) { try JSONRPC.notification(try JSONRPC.params(type, in: written)) }
    promise(written == again, "\(Note.method) says the same when it is read back")
}

/// What was understood can be written, and is one line.
private func check(_ what: String, _ write: () throws -> Data) -> Data {
    do {
        let line = try write()
        promise(line.firstIndex(of: 0x0A) == line.endIndex - 1, "\(what) is one line")
        return line
    } catch {
        fatalError("broken promise: \(what) was understood and cannot be written: \(error)")
    }
}
