// Carries out what the ledger decides: makes and pauses tasks, keeps the records, finds whom to call. All of it
// happens on one serial queue, in the order in which it was decided; callers are called on the session's
// delegate queue, never on this one.

import BackgroundURLSession
import Foundation

final class DownloadDesk: @unchecked Sendable {
    // Unchecked: what changes belongs to `queue`, but for `numbers` and `progressBoard`, which have locks.
    typealias Ledger = WishLedger<DownloadRequest, Result<Downloaded, DownloadError>, Data>
    typealias Completion = DownloadService.Completion

    let session: URLSession
    let transfers: WishTransfers
    var book: WishBook { transfers.book }
    let isProcessBound: Bool
    let delegateQueue: OperationQueue
    private let delegate: DownloadDelegate
    let queue = DispatchQueue(label: "DownloadService")
    private let fallback: @Sendable (UnclaimedDownload) -> Void
    private let temporaryFolder: String?
    private let memory: any MemoryPressureSource
    private let numbers = Numbers()
    private let progressBoard = GuardedBoard()

    // The queue's own.
    var ledger = Ledger(cancelled: DownloadDesk.cancelled)
    private var completions: [Int: Completion] = [:]
    private var tasks: [Int: URLSessionDownloadTask] = [:]
    private var attempts: [Int: Int] = [:]
    /// What was asked before the launch is over; nil afterwards.
    private var early: [Early]? = []
    private var isWatchingMemory = false
    /// Left when it is.
    private let launching = DispatchGroup()
    /// Those whose reply is on its way.
    private let pauses = DispatchGroup()

    init(
        configuration: URLSessionConfiguration, folder: String?, memory: any MemoryPressureSource,
        progress: @escaping @Sendable (ProgressBoard) -> Void,
        fallback: @escaping @Sendable (UnclaimedDownload) -> Void
    ) throws {
        isProcessBound = configuration.identifier == nil
        temporaryFolder = folder == nil && isProcessBound ? Self.freshFolder() : nil
        let place = try folder ?? temporaryFolder ?? BackgroundService.wishesFolder()
        let store = try WishStore(folder: place) { Self.complain("\($0)") }
        transfers = WishTransfers(
            book: WishBook(session: configuration.identifier ?? "", store: store) { Self.complain("\($0)") },
            holdsArrivals: true)
        self.memory = memory
        self.fallback = fallback
        delegateQueue = OperationQueue()
        delegateQueue.name = "DownloadService callers"
        delegateQueue.maxConcurrentOperationCount = 1
        // Nothing is delivered before the tasks are known.
        delegateQueue.isSuspended = true
        delegate = DownloadDelegate(transfers: transfers, board: progressBoard, progress: progress)
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: delegateQueue)
        delegate.desk = self
    }

    /// Nobody can ask any more. A background session's transfers go on without their callers; one that ends with
    /// the process has nobody left.
    deinit {
        callLater(completions.values.map { completion in { completion(Self.cancelled) } })
        if isProcessBound { session.invalidateAndCancel() }
        if let temporaryFolder { Self.remove(temporaryFolder) }
    }

    private static let cancelled = Result<Downloaded, DownloadError>.failure(.cancelled(resumeData: nil))

    var board: ProgressBoard { progressBoard.value }

    // MARK: Launch

    func launch() {
        launching.enter()
        DownloadLaunch(desk: self, delegate: delegate).begin()
    }

    func wish(of task: URLSessionTask) -> Wish? {
        var wish: Wish?
        book.attempt { () throws(WishStoreError) in wish = try book.wish(named: task.taskDescription) }
        return wish
    }

    /// The order of a launch is over: what was asked meanwhile is done now.
    func open() {
        queue.async { [self] in
            let waiting = early ?? []
            early = nil
            for item in waiting { item.work() }
            launching.leave()
        }
    }

    /// - Parameter wanted: what the work is to ask for, and whom it is to answer.
    func whenOpen(
        wanted: (request: DownloadRequest, completion: Completion)? = nil,
        _ work: @escaping @Sendable () -> Void
    ) {
        queue.async { [self] in
            if early == nil { work() } else { early?.append(Early(wanted: wanted, work: work)) }
        }
    }

    private struct Early {
        var wanted: (request: DownloadRequest, completion: Completion)?
        var work: @Sendable () -> Void
    }

    /// Whoever has asked during the launch for what has just been delivered.
    private func takeEarly(_ request: DownloadRequest) -> [Completion] {
        let served = early?.compactMap { $0.wanted?.request == request ? $0.wanted?.completion : nil }
        early?.removeAll { $0.wanted?.request == request }
        return served ?? []
    }

    // MARK: Wishes

    func request(_ request: DownloadRequest, _ completion: @escaping Completion) -> DownloadToken {
        let token = DownloadToken(number: numbers.next())
        whenOpen(wanted: (request, completion)) { [self] in
            completions[token.number] = completion
            callLater(carryOut(ledger.handle(.request(token.number, request))))
        }
        return token
    }

    func cancel(_ token: DownloadToken) {
        whenOpen { [self] in callLater(carryOut(ledger.handle(.cancel(token.number)))) }
    }

    func enqueue(_ request: DownloadRequest) {
        whenOpen { [self] in
            let actions = ledger.queue(request)
            if actions.isEmpty {
                // The wish runs already; blindly, once more.
                if let error = make(request, resumeData: nil) {
                    callLater(
                        unclaimed(
                            UnclaimedDownload(name: request.name, request: request, result: .failure(error))))
                }
            } else {
                callLater(carryOut(actions))
            }
        }
    }

    func commit() throws {
        // What was asked meanwhile is done when the launch is over.
        launching.wait()
        queue.sync {}
        // What a pause keeps is not on the disk before its reply is.
        pauses.wait()
        // An acknowledgement goes out when the closures of its result have returned.
        waitForClosures()
        try session.commit()
        // And then their records go.
        waitForClosures()
        queue.sync {}
    }

    /// Whoever asks from here on is answered that it was cancelled.
    func invalidateAndCancel() {
        delegate.noteEnd()
        session.invalidateAndCancel()
    }

    private func waitForClosures() {
        let behind = BlockOperation {}
        delegateQueue.addOperation(behind)
        behind.waitUntilFinished()
    }

    /// Only what a process-bound session holds is in memory, and only while it is there is anybody listened to.
    private func watchMemory() {
        guard isProcessBound, ledger.holdsResumeData != isWatchingMemory else { return }
        isWatchingMemory = ledger.holdsResumeData
        guard isWatchingMemory else { return memory.end() }
        memory.begin { [weak self] in
            guard let self else { return }
            self.queue.async { self.callLater(self.carryOut(self.ledger.letGo())) }
        }
    }

    // MARK: News of tasks

    /// The task's last word; whom to call about it, which is the delegate's to do.
    func ended(
        _ task: URLSessionTask, _ result: Result<Downloaded, DownloadError>
    ) -> [@Sendable () -> Void] {
        queue.sync {
            guard let attempt = attempts.removeValue(forKey: task.taskIdentifier) else {
                return lateWord(of: task, result)
            }
            tasks[attempt] = nil
            if case .success = result { return carryOut(ledger.handle(.finished(attempt, result))) }
            return carryOut(ledger.handle(.failed(attempt, result)))
        }
    }

    /// The session has had its last word: what was begun while it ended is heard of no more.
    func ended() -> [@Sendable () -> Void] {
        queue.sync {
            defer {
                attempts = [:]
                tasks = [:]
            }
            return attempts.values.sorted().flatMap { carryOut(ledger.handle(.failed($0, Self.cancelled))) }
        }
    }

    /// Of a task that an earlier process made, and that has ended without one.
    private func lateWord(
        of task: URLSessionTask, _ result: Result<Downloaded, DownloadError>
    ) -> [@Sendable () -> Void] {
        let request = wish(of: task).flatMap(DownloadRequest.init)
        // Its maker paused it and died before it had the resume data.
        if let request, case .failure(.cancelled(let data?, nil)) = result {
            keep(request, data)
            ledger.remember(request, data)
            return []
        }
        return unclaimed(UnclaimedDownload(name: task.taskDescription, request: request, result: result))
    }

    /// Nobody waits for it; unless somebody has asked for just that before the launch was over.
    private func unclaimed(_ news: UnclaimedDownload) -> [@Sendable () -> Void] {
        if let request = news.request, case .success = news.result {
            let served = takeEarly(request)
            if !served.isEmpty { return served.map { completion in { completion(news.result) } } }
        }
        return [{ [fallback] in fallback(news) }]
    }

    // MARK: Actions

    /// - Returns: whom to call when this queue has been left.
    private func carryOut(_ actions: [Ledger.Action]) -> [@Sendable () -> Void] {
        var calls: [@Sendable () -> Void] = []
        for action in actions {
            switch action {
            case .start(let attempt, let request, let data):
                guard let error = make(request, resumeData: data, attempt: attempt) else { continue }
                var news = ledger.handle(.failed(attempt, .failure(error)))
                if let data {
                    // It was not begun: what is held stays for the next request.
                    news.removeAll { if case .forget = $0 { true } else { false } }
                    ledger.remember(request, data)
                }
                calls += carryOut(news)
            case .pause(let attempt): pause(attempt)
            case .answer(let token, let result):
                guard let completion = completions.removeValue(forKey: token) else { continue }
                calls.append { completion(result) }
            case .unclaimed(let request, let result):
                calls += unclaimed(UnclaimedDownload(name: request.name, request: request, result: result))
            case .keep(let request, let data): keep(request, data)
            case .forget(let request): forgetResumeData(request.name)
            }
        }
        watchMemory()
        return calls
    }

    private func callLater(_ calls: [@Sendable () -> Void]) {
        for call in calls { delegateQueue.addOperation(call) }
    }

    /// Writes down what the transfer is for, and begins it. What stands in the way is returned.
    private func make(
        _ request: DownloadRequest, resumeData: Data?, attempt: Int? = nil
    ) -> DownloadError? {
        if delegate.hasEnded { return .cancelled(resumeData: nil) }
        if let problem = destinationProblem(request) { return .fileSystem(problem) }
        do throws(WishStoreError) {
            try claim(request.wish(session: book.session), as: request)
        } catch {
            return .fileSystem(error)
        }
        // Its news comes to this queue, and so behind all of this.
        transfers.begin(request.name, request.urlRequest, from: resumeData, in: session) { task in
            if let attempt { note(task, attempt) }
            task.resume()
        }
        if resumeData != nil { letGoOnceTaken(request) }
        return nil
    }

    /// Whether a task of this process serves the wish; then it does not stop any more for want of callers.
    func isServed(_ request: DownloadRequest) -> Bool { ledger.stand(request) }

    /// What a paused wish goes on from.
    func held(_ request: DownloadRequest) -> Data? { ledger.held(request) }

    func note(_ task: URLSessionDownloadTask, _ attempt: Int) {
        attempts[task.taskIdentifier] = attempt
        tasks[attempt] = task
        progressBoard.note(task)
    }

    /// Nobody else knows those bytes: the record lets go of them when the service has the task that goes on.
    private func letGoOnceTaken(_ request: DownloadRequest) {
        guard !isProcessBound else { return }
        session.flush { [weak self] in
            guard let self else { return }
            self.queue.async { self.forgetResumeData(request.name) }
        }
    }

    private func pause(_ attempt: Int) {
        guard let task = tasks[attempt] else { return }
        pauses.enter()
        task.cancel(byProducingResumeData: { [weak self, pauses] data in
            guard let self else { return pauses.leave() }
            self.queue.async {
                self.callLater(self.carryOut(self.ledger.handle(.paused(attempt, data))))
                pauses.leave()
            }
        })
    }

    private static func freshFolder() -> String {
        FileManager.default.temporaryDirectory.appendingPathComponent("downloads-\(UUID().uuidString)").path
    }

    /// Without what a wish asked to be kept: whoever was told its path may look at it yet.
    private static func remove(_ folder: String) {
        let files = FileManager.default
        for name in (try? files.contentsOfDirectory(atPath: folder)) ?? [] where name != WishStore.aside {
            try? files.removeItem(atPath: folder + "/" + name)
        }
        rmdir(folder)
    }

    private static func complain(_ sentence: String) {
        FileHandle.standardError.write(Data((sentence + "\n").utf8))
    }
}

/// Numbers that are given once.
private final class Numbers: @unchecked Sendable {
    // Unchecked: guarded by `lock`.
    private let lock = NSLock()
    private var last = 0

    func next() -> Int {
        lock.withLock {
            last += 1
            return last
        }
    }
}
