// `bgtool status`: shows transfers without claiming them. It works beside an owner.
import BackgroundURLSession
import Foundation

struct StatusCommand {
    let options: StatusOptions

    private static let pause: useconds_t = 1_000_000

    func run() throws -> Int32 {
        var last: String?
        repeat {
            let text = try text()
            if text != last { show(text, isFirst: last == nil) }
            last = text
            if options.watches { usleep(Self.pause) }
        } while options.watches
        return ExitStatus.success
    }

    private func show(_ text: String, isFirst: Bool) {
        // On a terminal the newest state replaces the last one; piped, each change is printed.
        if options.watches, isatty(1) == 1, !options.printsJSON {
            Output.write("\u{1B}[H\u{1B}[J")
        }
        if !text.isEmpty { Output.write(text + "\n") }
    }

    private func text() throws -> String {
        let tasks = try tasks()
        if options.printsJSON { return try JSONText.of(tasks, isPretty: !options.watches) }
        let namesSession = options.scope == .all
        let wakes = namesSession ? try BackgroundService.sessions().compactMap { WakeLine.text($0) } : []
        let lines = tasks.map { StatusLine.text($0, namesSession: namesSession) } + wakes
        return lines.map(Output.oneLine).joined(separator: "\n")
    }

    private func tasks() throws -> [BackgroundTaskStatus] {
        switch options.scope {
        case .all: try BackgroundService.tasks()
        case .session(let identifier):
            try BackgroundService.tasks(client: BackgroundService.clientName, session: identifier)
        }
    }
}
