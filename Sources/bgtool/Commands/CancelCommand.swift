// `bgtool cancel`: ends transfers, or pauses them by resume data. Results that wait for somebody stay, unless
// they are to be discarded.
import BackgroundURLSession
import Downloads
import Foundation

struct CancelCommand {
    let options: CancelOptions

    func run() async throws -> Int32 {
        let queueing = try QueueingSession(options.session)
        let book = try WishBook(session: options.session)
        let all = try queueing.tasks()
        let chosen = try options.targets.map { try Self.matches($0, in: all) }
        let objects = Dictionary(
            uniqueKeysWithValues: await queueing.session.allTasks.map { ($0.taskIdentifier, $0) })
        var status = ExitStatus.success
        for task in chosen.joined() {
            if let object = objects[task.id] {
                try await end(object, task, book)
            } else if options.discards || !task.wasResumed {
                try BackgroundService.discard(key: task.key)
                book.close(task.label, task: task.id)
                Output.tell("discarded \(task.label) (task \(task.id)) and what it left")
            } else {
                Output.complain(
                    "Error: \(task.label) (task \(task.id)) has ended already; its result waits for 'bgtool "
                        + "resume'. Remove it with 'bgtool cancel \(task.id) --discard'.")
                status = ExitStatus.failure
            }
        }
        try queueing.commit()
        book.sweep(stillThere: try queueing.tasks())
        return status
    }

    /// The tasks that a word names: an identifier, or a name, which several may bear. Where some of them are
    /// under way, those that have ended are not meant.
    private static func matches(
        _ word: String, in tasks: [BackgroundTaskStatus]
    ) throws -> [BackgroundTaskStatus] {
        let named = tasks.filter { $0.name == word }
        let found = named.isEmpty ? tasks.filter { String($0.id) == word } : named
        guard !found.isEmpty else {
            throw CommandFailure(
                "No transfer of this session is called \(word.quoted). See 'bgtool status' for those there are.",
                status: ExitStatus.failure)
        }
        let underWay = found.filter { $0.state != .finished && $0.state != .failed }
        return underWay.isEmpty ? found : underWay
    }

    private func end(
        _ object: URLSessionTask, _ task: BackgroundTaskStatus, _ book: WishBook
    ) async throws {
        guard options.keepsBytes, let download = object as? URLSessionDownloadTask else {
            if options.keepsBytes {
                Output.tell("\(task.label): an upload has no bytes to keep; it is cancelled")
            }
            object.cancel()
            return Output.tell("cancelled \(task.label) (task \(task.id))")
        }
        let resumeData = await download.cancelByProducingResumeData()
        try book.store.update(session: options.session, name: task.label) { $0.resumeData = resumeData }
        Output.tell(
            resumeData == nil
                ? "paused \(task.label) (task \(task.id)); its server cannot continue it, so that the next start "
                    + "begins at 0"
                : "paused \(task.label) (task \(task.id)); the next start of it goes on from there")
    }
}
