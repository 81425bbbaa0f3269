// A session as `start`, `upload` and `cancel` use it: it makes and ends tasks, waits for whoever owns the
// session, and leaves every result to the process that comes for it.
import BackgroundURLSession
import Downloads
import Foundation

struct QueueingSession {
    /// How long another owner is waited for, in seconds.
    static let patience: TimeInterval = 10

    let identifier: String
    let session: URLSession

    /// Attaches, starting the service if need be.
    /// - Parameters:
    ///   - conditions: for the tasks that are made here.
    ///   - launches: something is to be run when its transfers are in place.
    init(
        _ identifier: String, _ conditions: ConditionOptions? = nil, launches: Bool = false
    ) throws {
        self.identifier = identifier
        let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
        configuration.ownershipPatience = Self.patience
        configuration.leavesEventsUndelivered = true
        if try launches || FinishRunner(book: WishBook(session: identifier)).isNeeded {
            configuration.launchCommand = FinishRunner.launchCommand(session: identifier)
        }
        conditions?.apply(to: configuration)
        session = URLSession(configuration: configuration)
        try session.waitUntilAttached()
    }

    /// Every task of this client in this session.
    func tasks() throws -> [BackgroundTaskStatus] {
        try BackgroundService.tasks(client: BackgroundService.clientName, session: identifier)
    }

    /// The transfer of that name that is under way, or has arrived and waits to be fetched. What failed, or was
    /// never resumed because its maker died too early, is no such transfer.
    /// - Parameter session: nil is this one.
    func pending(named name: String, in session: String? = nil) throws -> BackgroundTaskStatus? {
        try BackgroundService.tasks(
            client: BackgroundService.clientName, session: session ?? identifier, named: name
        ).last(where: \.isPending)
    }

    /// Throws what the service has against the task, which it says at once: this client may have no transfers in
    /// the background, or holds too many.
    func checkBegun(_ task: Int, named name: String) throws {
        let tasks = try BackgroundService.tasks(
            client: BackgroundService.clientName, session: identifier, named: name)
        guard let error = tasks.last(where: { $0.id == task })?.error, let reason = error.cancelledReason
        else { return }
        let remedy =
            reason == NSURLErrorCancelledReasonBackgroundUpdatesDisabled
            ? "Switch them on with 'bgtool service background on'."
            : "'bgtool status' shows what there is, 'bgtool resume' and 'bgtool cancel' make room."
        throw CommandFailure(
            "\(name.quoted) was not begun: \(error.message). \(remedy)", status: ExitStatus.failure)
    }

    /// Sees to it that the service has everything on disk.
    func commit() throws { try session.commit() }

    /// Looks on for some seconds, or until these tasks have ended.
    func watch(_ watched: [Int], seconds: Double, bars: ProgressBars) throws {
        let deadline = Date().addingTimeInterval(seconds)
        while Date() < deadline {
            let now = try tasks().filter { watched.contains($0.id) }
            for task in now {
                let isUpload = task.kind == .upload
                bars.update(
                    task.id, name: task.label, done: isUpload ? task.sent : task.received,
                    total: (isUpload ? task.expectedToSend : task.expected) ?? -1)
            }
            if now.allSatisfy({ $0.state == .finished || $0.state == .failed }) { break }
            usleep(useconds_t(min(0.2, max(0, deadline.timeIntervalSinceNow)) * 1_000_000))
        }
        for task in watched { bars.remove(task) }
    }
}

extension BackgroundTaskStatus {
    var isPending: Bool { wasResumed && state != .failed }
    var hasEnded: Bool { state == .finished || state == .failed }
}
