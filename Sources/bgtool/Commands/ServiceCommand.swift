// `bgtool service …`: the service itself, for people.
import BackgroundURLSession
import Foundation

struct ServiceCommand {
    let options: ServiceOptions

    func run() throws -> Int32 {
        switch options {
        case .start:
            tell(try BackgroundService.ensureRunning())
        case .stop:
            let ran = try BackgroundService.shutdown()
            Output.tell(
                ran ? "stopped; its transfers go on when it is started again" : "the service does not run")
        case .restart:
            try BackgroundService.shutdown()
            tell(try BackgroundService.ensureRunning())
        case .status(let printsJSON):
            try status(printsJSON)
        case .background(let allows, let client):
            try background(allows, client ?? BackgroundService.clientName)
        case .log(let follows, let lines):
            try ServiceLogReader(path: BackgroundService.log).show(lines: lines, follows: follows)
        }
        return ExitStatus.success
    }

    private func background(_ allows: Bool?, _ client: String) throws {
        let cancelled = try allows.map { (allows) in
            try BackgroundService.setAllowsBackground(allows, client: client)
        }
        let isOn = try BackgroundService.allowsBackground(client: client)
        Output.line(
            "background \(isOn ? "on" : "off") client=\(client)"
                + (cancelled.map { " cancelled=\($0)" } ?? ""))
    }

    private func tell(_ process: Int32) { Output.tell("the service runs as process \(process)") }

    private func status(_ printsJSON: Bool) throws {
        let status = try BackgroundService.serviceStatus()
        if printsJSON { return Output.write(try JSONText.of(Report(status)) + "\n") }
        guard let status else {
            return Output.line("not running home=\(BackgroundService.home)")
        }
        Output.line(
            "running pid=\(status.pid) version=\(status.version) home=\(status.home) "
                + "connections=\(status.connections) running=\(status.running) queued=\(status.queued) "
                + "waiting=\(status.waiting) undelivered=\(status.undelivered)")
    }

    /// `status --json`: the same members whether or not it runs, as far as there is something to say.
    private struct Report: Encodable {
        var running: Bool
        var home: String
        var log: String
        var pid: Int32?
        var version: String?
        var started: Date?
        var connections: Int?
        var transfers: Transfers?

        struct Transfers: Encodable {
            var running: Int
            var queued: Int
            var waiting: Int
            var undelivered: Int
        }

        init(_ status: BackgroundServiceStatus?) {
            running = status != nil
            home = status?.home ?? BackgroundService.home
            log = BackgroundService.log
            guard let status else { return }
            pid = status.pid
            version = status.version
            started = status.started
            connections = status.connections
            transfers = Transfers(
                running: status.running, queued: status.queued, waiting: status.waiting,
                undelivered: status.undelivered)
        }
    }
}
