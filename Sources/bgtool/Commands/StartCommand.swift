// `bgtool start`: writes down what a download is for, hands it to the service, and leaves.
import BackgroundURLSession
import Downloads
import Foundation

struct StartCommand {
    let options: StartOptions

    func run() throws -> Int32 {
        // What cannot be written down or put in place is refused before anything is begun.
        let wishes = try options.each.map { one in
            let starting = StartingWish(options: one)
            return (starting, try starting.makeWish())
        }
        let queueing = try QueueingSession(
            options.session, options.conditions, launches: !options.onFinish.isEmpty)
        let transfers = WishTransfers(book: try WishBook(session: options.session))
        var tasks: [Int] = []
        for (starting, wish) in wishes {
            if let task = try starting.run(wish, queueing, transfers) { tasks.append(task) }
        }
        if options.wait > 0 { try queueing.watch(tasks, seconds: options.wait, bars: ProgressBars()) }
        Output.line("start process exiting")
        return ExitStatus.success
    }
}

/// One address of them.
struct StartingWish {
    let options: StartOptions

    /// - Returns: the task that was begun; nil when there was one.
    func run(_ wish: Wish, _ queueing: QueueingSession, _ transfers: WishTransfers) throws -> Int? {
        if !options.queuesAgain, let existing = try queueing.pending(named: options.name) {
            try repeatWish(wish, of: existing, transfers.book.store)
            return nil
        }
        try checkDestination(of: wish, at: wish.likelyName)
        let task = try queue(wish, queueing, transfers)
        try queueing.commit()
        try queueing.checkBegun(task.taskIdentifier, named: options.name)
        Output.line("started \(task.taskIdentifier) \(options.name)")
        return task.taskIdentifier
    }

    // MARK: The wish

    func makeWish() throws -> Wish {
        var wish = Wish(
            session: options.session, name: options.name, address: options.address.absoluteString,
            replace: options.replacesExisting, sha256: options.sha256)
        wish.keepsRejected = true
        if !options.onFinish.isEmpty {
            wish.onFinish = FinishCommand(
                arguments: options.onFinish, folder: FileManager.default.currentDirectoryPath)
        }
        // The lesson keeps no file unless it is told where.
        if options.isLesson, options.output == nil { return wish }
        let here = FileManager.default.currentDirectoryPath
        wish.destinationFolder = here
        if let output = options.output {
            let path = Self.absolute(output, in: here)
            wish.destinationFolder = (path as NSString).deletingLastPathComponent
            wish.destinationName = (path as NSString).lastPathComponent
        }
        return wish
    }

    private static func absolute(_ path: String, in folder: String) -> String {
        let whole = path.hasPrefix("/") ? path : folder + "/" + path
        let isFolder = path.hasSuffix("/")
        // `..` behind a symbolic link means what the kernel says, so only `.` and doubled slashes go.
        let parts = whole.split(separator: "/").filter { $0 != "." }
        return "/" + parts.joined(separator: "/") + (isFolder ? "/" : "")
    }

    private func checkDestination(of wish: Wish, at name: String) throws {
        guard let folder = wish.destinationFolder else { return }
        try FilePlacement.checkDestination(folder + "/" + name, replace: wish.replace)
    }

    /// The same name with the same address is one wish. It may be told a new destination.
    private func repeatWish(_ wish: Wish, of task: BackgroundTaskStatus, _ store: WishStore) throws {
        guard task.url == wish.address, task.kind == .download else {
            throw CommandFailure(
                "\(options.name.quoted) is another transfer already, of \(AddressArgument.shown(task.url)). Give "
                    + "this one another name with --name.", status: ExitStatus.usage)
        }
        if options.output != nil || options.replacesExisting || wish.onFinish != nil {
            try checkDestination(of: wish, at: wish.likelyName)
            try store.update(session: options.session, name: options.name) { recorded in
                if options.output != nil {
                    recorded.destinationFolder = wish.destinationFolder
                    recorded.destinationName = wish.destinationName
                }
                recorded.replace = wish.replace
                recorded.onFinish = wish.onFinish ?? recorded.onFinish
            }
        }
        Output.line("already \(task.id) \(task.label) \(task.state.rawValue) \(StatusLine.counter(task))")
    }

    // MARK: Queueing

    private func queue(
        _ wish: Wish, _ queueing: QueueingSession, _ transfers: WishTransfers
    ) throws -> URLSessionDownloadTask {
        var made: URLSessionDownloadTask?
        let claim = try transfers.book.store.claim(wish) { other in
            other.resumeData != nil || isUnderWay(other, queueing)
        } completing: { wish in
            // Only made: no byte is asked for before the record is on disk. Whoever dies before `resume` leaves
            // a task that was never resumed, which is in nobody's way.
            let task = transfers.make(options.name, request, in: queueing.session)
            wish.tasks = [task.taskIdentifier]
            made = task
        }
        switch (claim, made) {
        case (.made, let task?):
            resume(task)
            return task
        case (.made, nil):
            return transfers.begin(options.name, request, from: nil, in: queueing.session, resume: resume)
        case (.exists(let recorded), _):
            return try queueAgain(recorded, wish, queueing, transfers)
        }
    }

    /// A paused wish, or one that is queued once more.
    private func queueAgain(
        _ recorded: Wish, _ wish: Wish, _ queueing: QueueingSession, _ transfers: WishTransfers
    ) throws -> URLSessionDownloadTask {
        try update(recorded, with: wish, transfers.book.store)
        let task = transfers.begin(
            options.name, request, from: recorded.resumeData, in: queueing.session, resume: resume)
        if recorded.resumeData != nil {
            // Nobody else knows those bytes: they are let go of when the service has the task that goes on.
            try queueing.commit()
            transfers.book.forgetResumeData(wish.name)
        }
        return task
    }

    private func resume(_ task: URLSessionDownloadTask) {
        options.conditions.apply(to: task)
        task.resume()
        CrashPoint.afterResume.reached()
    }

    private func isUnderWay(_ other: Wish, _ queueing: QueueingSession) -> Bool {
        do {
            return try queueing.pending(named: other.name, in: other.session) != nil
        } catch {
            // Nobody can tell, and a record that is overwritten is lost.
            return true
        }
    }

    private func update(_ recorded: Wish, with wish: Wish, _ store: WishStore) throws {
        try store.update(session: wish.session, name: wish.name) {
            if options.output != nil || recorded.destinationFolder == nil {
                $0.destinationFolder = wish.destinationFolder
                $0.destinationName = wish.destinationName
            }
            $0.replace = wish.replace || $0.replace
            $0.sha256 = wish.sha256 ?? $0.sha256
            $0.onFinish = wish.onFinish ?? $0.onFinish
        }
    }

    private var request: URLRequest {
        var request = URLRequest(url: options.address)
        for header in options.headers { request.addValue(header.value, forHTTPHeaderField: header.name) }
        return request
    }
}
