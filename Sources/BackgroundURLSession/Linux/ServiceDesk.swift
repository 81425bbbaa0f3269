// One question to the service at a time, on a connection made for it.
import Foundation
import TransferProtocol

struct ServiceDesk {
    let access: ServiceAccess

    private var greeting: ServiceGreeting { ServiceGreeting(access: access, client: access.clientName) }

    func ensureRunning() throws(ServiceError) -> Int32 {
        guard let opened = try greeting.connect(starting: true) else { throw .notRunning }
        return opened.service.pid
    }

    func wishesFolder(client: String) throws(ServiceError) -> String {
        let folder = ServiceHome.clientFolder(client, in: access.home.wishes)
        do {
            try access.home.prepare()
        } catch {
            throw ServiceError(error)
        }
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            throw .homeUnusable(attempt: "make the folder", path: folder, code: errno)
        }
        return folder
    }

    /// Looking changes nothing: where the service ends in the middle of it, the next one is asked.
    private func looking<Seen>(_ look: () throws(ServiceError) -> Seen) throws(ServiceError) -> Seen {
        for _ in 1..<Self.looks {
            do {
                return try look()
            } catch .disconnected {
                continue
            }
        }
        return try look()
    }

    private static let looks = 5

    func tasks(
        client: String?, session: String?, named name: String? = nil
    ) throws(ServiceError) -> [BackgroundTaskStatus] {
        var question = AdminTasks(client: client, session: session)
        question.description = name
        let all = try looking { () throws(ServiceError) in try allPages(question) }
        // An older service passes over the name.
        return name == nil ? all : all.filter { $0.name == name }
    }

    private func allPages(_ question: AdminTasks) throws(ServiceError) -> [BackgroundTaskStatus] {
        let connection = try connect()
        var question = question
        var all: [BackgroundTaskStatus] = []
        while true {
            let page = try ask(question, on: connection)
            all += page.tasks.map(BackgroundTaskStatus.init)
            guard let next = page.next, next > question.after else { return all }
            question.after = next
        }
    }

    func sessions() throws(ServiceError) -> [BackgroundSessionStatus] {
        try looking { () throws(ServiceError) in
            try ask(AdminSessions(), on: connect()).sessions.map(BackgroundSessionStatus.init)
        }
    }

    func discard(key: Int64) throws(ServiceError) { _ = try ask(AdminDiscard(key: key), on: connect()) }

    func status() throws(ServiceError) -> BackgroundServiceStatus? {
        guard let connection = try greeting.connect(starting: false)?.connection else { return nil }
        return BackgroundServiceStatus(try ask(AdminService(), on: connection))
    }

    func shutdown() throws(ServiceError) -> Bool {
        guard let connection = try greeting.connect(starting: false)?.connection else { return false }
        // The end of the connection is an answer too.
        if case .refused(let error) = connection.call(Shutdown()) { throw .refused(message: error.message) }
        greeting.waitForEnd(of: connection)
        return true
    }

    private func connect() throws(ServiceError) -> ServiceConnection {
        guard let opened = try greeting.connect(starting: true) else { throw .notRunning }
        return opened.connection
    }

    func ask<Call: ServiceCall>(_ call: Call) throws(ServiceError) -> Call.Result {
        try ask(call, on: connect())
    }

    private func ask<Call: ServiceCall>(
        _ call: Call, on connection: ServiceConnection
    ) throws(ServiceError) -> Call.Result {
        switch connection.call(call) {
        case .result(let result): return result
        case .refused(let error): throw .refused(message: error.message)
        case .ended: throw .disconnected
        case .timedOut: throw .notAnswering(home: access.home.folder)
        }
    }
}
