// `bgtool resume`: makes the session anew, shows what it sees, hears every task to its end and puts the files
// in place. Whatever ends this process, the transfers go on.
import BackgroundURLSession
import Downloads
import Foundation

struct ResumeCommand {
    let options: ResumeOptions

    func run() async throws -> Int32 {
        let book = try WishBook(session: options.session)
        let owner = ResumeOwner(book: book)
        // Nothing is told before the first line is printed.
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let configuration = URLSessionConfiguration.background(withIdentifier: options.session)
        configuration.ownershipPatience = QueueingSession.patience
        if FinishRunner(book: book).isNeeded {
            configuration.launchCommand = FinishRunner.launchCommand(session: options.session)
        }
        let session = URLSession(configuration: configuration, delegate: owner, delegateQueue: queue)
        let waiting = try session.waitUntilAttached()
        let interruption = Interruption { Self.interrupted(owner) }
        defer { interruption.end() }

        let seen = await session.allTasks.sorted { $0.taskIdentifier < $1.taskIdentifier }
        Output.line("relaunch sees: [\(seen.map(Self.words).joined(separator: ", "))]")
        // Also those that have ended and whose events are on their way.
        let all = try tasks()
        book.sweep(stillThere: all)
        owner.expect(
            tasks: Set(all.filter { $0.wasResumed && (!isWoken || $0.hasEnded) }.map(\.id)),
            endOfEvents: waiting > 0)
        owner.show(seen)
        queue.isSuspended = false

        guard try owner.waitForAll(seconds: options.timeout) else {
            owner.bars.aside {
                Output.complain(
                    "The time is over; the transfers go on: \(owner.missing). 'bgtool resume' hears them again."
                )
            }
            return ExitStatus.tryLater
        }
        // Everything acknowledged is on the service's disk before this process goes.
        try session.commit()
        book.sweep(stillThere: try tasks())
        if isWoken { BackgroundLaunch.closeVisit() }
        return owner.allWell || isWoken ? ExitStatus.success : ExitStatus.failure
    }

    /// The service has started this process: a visit is short, and only for what has ended.
    private var isWoken: Bool { BackgroundLaunch.identifier == options.session }

    private func tasks() throws -> [BackgroundTaskStatus] {
        try BackgroundService.tasks(client: BackgroundService.clientName, session: options.session)
    }

    /// `"1 audiobook-42 received=650000"`.
    private static func words(_ task: URLSessionTask) -> String {
        let counter =
            task is URLSessionUploadTask
            ? "sent=\(task.countOfBytesSent)" : "received=\(task.countOfBytesReceived)"
        return "\"\(task.taskIdentifier) \(task.taskDescription ?? "-") \(counter)\""
    }

    private static func interrupted(_ owner: ResumeOwner) -> Never {
        Output.complain(
            "\nInterrupted; the transfers go on: \(owner.missing). 'bgtool resume' hears them again.")
        exit(ExitStatus.interrupted)
    }
}
