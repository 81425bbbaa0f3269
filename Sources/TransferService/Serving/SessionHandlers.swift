// hello, session.attach and the calls of a session's owner. They validate and shape; the scheduler and
// the ownership decide.
import Foundation
import TransferProtocol
import TransferStore

@TransferActor
struct SessionHandlers {
    let store: TransferStore
    let turn: Turn
    let ownership: Ownership
    let delivery: Delivery
    let relauncher: Relauncher
    let leave: () -> Void

    func register(on router: Router) {
        router.on(Hello.self, hello)
        router.on(Shutdown.self, shutdown)
        router.on(AttachSession.self, attach)
        router.on(Flush.self) { _, _, answer in answer.succeed(NoContent()) }
        router.on(AcknowledgeEvent.self, acknowledge)
        router.on(CloseVisit.self) { call, _, answer in
            try relauncher.close(call.visit)
            answer.succeed(NoContent())
        }
    }

    private func hello(_ hello: Hello, _ connection: Connection, _ answer: Answer<Hello.Result>) throws {
        guard hello.version == ProtocolVersion.current else {
            throw RPCError.refused(
                .versionMismatch,
                "the service speaks version \(ProtocolVersion.current) of the protocol, the client version "
                    + "\(hello.version); "
                    + (hello.version > ProtocolVersion.current
                        ? "ask the service to leave and start the newer one"
                        : "update the client, or restart the service of its version"),
                pid: getpid(), version: ProtocolVersion.current)
        }
        guard !hello.client.isEmpty, hello.client.utf8.count <= 255, !hello.client.contains("\0") else {
            throw RPCError.invalidParams("a client needs a name of 1 to 255 bytes")
        }
        connection.client = hello.client
        answer.succeed(
            Hello.Result(version: ProtocolVersion.current, product: ProtocolVersion.product, pid: getpid()))
    }

    private func shutdown(_: Shutdown, _ connection: Connection, _ answer: Answer<NoContent>) {
        answer.succeed(NoContent())
        turn.afterCommit(leave)
    }

    private func attach(
        _ call: AttachSession, _ connection: Connection, _ answer: Answer<AttachSession.Result>
    ) throws {
        guard let client = connection.client else { throw RPCError.invalidRequest("say hello first") }
        guard !call.identifier.isEmpty, call.identifier.utf8.count <= 1024 else {
            throw RPCError.invalidParams("a session needs an identifier of 1 to 1024 bytes")
        }
        guard ownership.owner(on: connection) == nil else {
            throw RPCError.invalidRequest("this connection owns a session already")
        }
        guard !ownership.isClaiming(connection) else {
            throw RPCError.invalidRequest("this connection waits for a session already")
        }
        // Another's configuration stays what it is for as long as it owns the session.
        let known = try store.session(client: client, identifier: call.identifier)
        let id = try (known ?? write(call, of: client)).id
        ownership.claim(
            id, for: connection, patience: call.patience,
            granted: { granted(call, of: client, id, connection, answer) }, refused: { answer.fail($0) })
    }

    private func write(_ call: AttachSession, of client: String) throws(StoreError) -> SessionRecord {
        try turn.write { store throws(StoreError) in
            try store.makeSession(
                client: client, identifier: call.identifier, configuration: call.configuration)
        }
    }

    private func granted(
        _ call: AttachSession, of client: String, _ id: Int64, _ connection: Connection,
        _ answer: Answer<AttachSession.Result>
    ) {
        guard connection.isOpen else { return }
        do {
            guard try store.session(id: id) != nil else {
                return answer.fail(.refused(.storeFailed, "the session's row is gone"))
            }
            // Read again, too: an owner before may have made tasks meanwhile.
            let session = try write(call, of: client)
            try delivery.endReaderless(session: id)
            let waiting = try delivery.waitingTasks(session: id)
            let owner = Owner(
                connection: connection, session: session, purpose: call.purpose,
                hasEventsToFinish: waiting > 0)
            owner.visit = call.visit
            owner.asksToBegin = call.asksToBegin ?? false
            ownership.take(id, owner)
            relauncher.attached(owner)
            answer.succeed(
                AttachSession.Result(nextTaskIdentifier: session.nextTaskIdentifier, waitingEvents: waiting))
            turn.afterCommit {
                delivery.begin(owner)
            } failed: { _ in
                // The session may not even exist; another one will have its number.
                ownership.giveBack(id, owner)
                // A wake that was due is due again.
                relauncher.sessionChanged(id)
            }
        } catch {
            answer.fail(Router.refusal(of: error))
        }
    }

    private func acknowledge(_ note: AcknowledgeEvent, _ connection: Connection) {
        guard let owner = ownership.owner(on: connection) else { return }
        delivery.acknowledge(note, by: owner)
    }
}
