// admin.forceQuit and admin.client: what a person decides about a whole client. They claim no session.
import Foundation
import TransferProtocol
import TransferStore

@TransferActor
struct ClientHandlers {
    let store: TransferStore
    let turn: Turn
    let scheduler: Scheduler
    let relauncher: Relauncher
    let allowance: ClientAllowance
    let connections: () -> [Connection]

    func register(on router: Router) {
        router.on(AdminForceQuit.self, forceQuit)
        router.on(AdminClient.self, client)
    }

    private func forceQuit(
        _ call: AdminForceQuit, _ connection: Connection, _ answer: Answer<AdminForceQuit.Result>
    ) throws {
        let endsProcesses = call.endsProcesses == true
        let pids = endsProcesses ? endProcesses(of: call.client, except: connection.peer) : []
        var cancelled = 0
        for session in try sessions(of: call.client) {
            try relauncher.quit(session.id, endsProgram: endsProcesses)
            cancelled += try cancelAll(of: session, reason: ClientAllowance.Reason.quit)
        }
        ServiceLog.note("\(call.client) was quit by the user: \(cancelled) tasks cancelled, ended: \(pids)")
        answer.succeed(AdminForceQuit.Result(cancelled: cancelled, ended: pids))
    }

    /// At once, as a person means it who quits by force. What such a process has written counts; what it is
    /// told from now on it does not hear, and the next one does.
    private func endProcesses(of client: String, except asking: pid_t) -> [Int32] {
        let theirs = connections().filter { $0.client == client && $0.peer != asking && $0.peer > 1 }
        for connection in theirs {
            connection.readToEnd()
            // Whoever is still connected has its number still.
            guard connection.isOpen else { continue }
            kill(connection.peer, SIGKILL)
            connection.end()
        }
        return Set(theirs.map(\.peer)).sorted()
    }

    private func client(
        _ call: AdminClient, _ connection: Connection, _ answer: Answer<AdminClient.Result>
    ) throws {
        guard !call.client.isEmpty, call.client.utf8.count <= 255 else {
            throw RPCError.invalidParams("a client needs a name of 1 to 255 bytes")
        }
        var cancelled = 0
        if let allows = call.allowsBackground {
            try allowance.setSwitchedOff(!allows, call.client)
            for session in try sessions(of: call.client) {
                if allows {
                    relauncher.sessionChanged(session.id)
                } else {
                    cancelled += try cancelAll(of: session, reason: ClientAllowance.Reason.switchedOff)
                }
            }
            ServiceLog.note(
                "background transfers of \(call.client) are switched \(allows ? "on" : "off"): "
                    + "\(cancelled) tasks cancelled")
        }
        answer.succeed(
            AdminClient.Result(
                allowsBackground: try !allowance.isSwitchedOff(call.client), cancelled: cancelled))
    }

    private func sessions(of client: String) throws(StoreError) -> [SessionRecord] {
        try store.sessions().filter { $0.client == client }
    }

    /// How many tasks had not ended. One whose switch the person turned may go on from its bytes later.
    private func cancelAll(of session: SessionRecord, reason: Int) throws -> Int {
        var count = 0
        var after: Int64? = 0
        while let from = after {
            let page = try store.tasks(session: session.id, after: from, limit: TaskHandlers.largestPage)
            for task in page.tasks where task.phase != .ended {
                try scheduler.perform(
                    .cancel(keeping: reason != ClientAllowance.Reason.quit, reason: reason), key: task.key)
                count += 1
            }
            after = page.next
        }
        return count
    }
}
