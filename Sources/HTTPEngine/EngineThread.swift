// The thread that libcurl lives on: takes commands, lets libcurl move bytes, tells the news. `post` may be
// called from any thread; everything else runs on this one. While nothing happens it sleeps.
import CCurl
import Foundation

final class EngineThread: @unchecked Sendable {
    // Unchecked: the queue guards itself; the rest belongs to the thread, and `owner` checks that.
    /// Seconds between two reports of progress.
    private static let progressInterval = 0.25

    let owner = ThreadOwner()
    private let deliver: @Sendable (EngineReport) -> Void
    private let queue = CommandQueue()
    private let gone = DispatchGroup()

    private var multi: UnsafeMutableRawPointer?
    private let worker = SyncWorker()
    private let sources = SourceWorker()
    private var opening = OpeningSources()
    private let pool = BufferPool()
    private let sockets = SocketTable()
    private var transfers: [TransferID: RunningTransfer] = [:]
    private var gathered: [RunningTransfer] = []
    private var jars: [String: CookieJar] = [:]
    /// Those whose reader must read before they can go on.
    private var waiting: [RunningTransfer] = []
    private var isLeaving = false
    private var nextTick = Double.infinity
    private var lastProgress = -Double.infinity

    init(report: @escaping @Sendable (EngineReport) -> Void) {
        deliver = report
        _ = Self.globalInit
        gone.enter()
        let thread = Thread { [self] in run() }
        thread.name = "curl"
        thread.start()
    }

    // MARK: Any thread

    /// False once the engine has shut down.
    @discardableResult
    func post(_ command: EngineCommand) -> Bool { queue.post(command) }

    /// Waits until the thread has ended; from within a report it cannot, and does not.
    func join() { if !owner.isCurrent { gone.wait() } }

    // MARK: The thread

    private func run() {
        owner.becomeOwner()
        blockBrokenPipes()
        multi = curl_multi_init()
        if let multi { ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, 100) }
        queue.wakes(multi)
        while carryOutCommands() { round() }
        close()
        gone.leave()
    }

    private static let globalInit = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    /// A peer that has gone must not end the process; a signal would, where libcurl's TLS writes.
    private func blockBrokenPipes() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    private func round() {
        owner.check()
        guard let multi else { return Thread.sleep(forTimeInterval: 0.1) }
        var running: Int32 = 0
        curl_multi_perform(multi, &running)
        flushGathered()
        endFinished(multi)
        let now = MonotonicClock.now
        if now >= nextTick {
            tick(now)
            flushGathered()
        }
        if transfers.isEmpty { pool.drain() }
        sleep(multi, now)
    }

    /// Until libcurl's sockets, a command, a deadline or a reader wants something.
    private func sleep(_ multi: UnsafeMutableRawPointer, _ now: Double) {
        let held = waiting.filter { transfers[$0.id] === $0 && $0.isHeldByReader && !$0.isPaused }
        waiting = []
        let descriptors = held.compactMap { $0.pipe?.descriptor }
        var entries = descriptors.map { curl_waitfd(fd: $0, events: Int16(CURL_WAIT_POLLOUT), revents: 0) }
        curl_multi_poll(multi, &entries, UInt32(entries.count), pollTimeout(now), nil)
        if held.isEmpty { return }
        // Asked again here: of a reader that has left, libcurl does not tell.
        let ready = PipeSink.ready(descriptors)
        for transfer in held {
            let isReady = transfer.pipe.map { ready.contains($0.descriptor) } ?? false
            if isReady { goOn(transfer, now: MonotonicClock.now) } else { waitsForReader(transfer) }
        }
    }

    private func pollTimeout(_ now: Double) -> Int32 {
        nextTick == .infinity
            ? Int32.max : Int32(min(max(0, ((nextTick - now) * 1000).rounded(.up)), 86_400_000))
    }

    private func flushGathered() {
        if gathered.isEmpty { return }
        let round = gathered
        gathered = []
        for transfer in round where transfers[transfer.id] === transfer {
            if let failure = transfer.flush() { end(transfer, nil, failure) }
        }
    }

    private func endFinished(_ multi: UnsafeMutableRawPointer) {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else {
                continue
            }
            let code = ccurl_message_result(message)
            var pointer: UnsafeMutableRawPointer?
            ccurl_get_pointer(easy, CURLINFO_PRIVATE, &pointer)
            if let transfer = CurlCallbacks.transfer(pointer) { end(transfer, code, nil) }
        }
    }

    private func end(_ transfer: RunningTransfer, _ code: CURLcode?, _ failure: EngineFailure?) {
        owner.check()
        guard transfers[transfer.id] === transfer, let multi else { return }
        transfers[transfer.id] = nil
        _ = transfer.measureUpload(now: MonotonicClock.now)
        sockets.letGo(of: transfer)
        let outcome = transfer.outcome(code, failure)
        curl_multi_remove_handle(multi, transfer.handle.easy)
        transfer.handle.close()
        report(.ended(transfer.id, outcome))
    }

    private func close() {
        owner.check()
        let late = queue.close()
        for case .start(let id, let request) in late { refuse(id, request, .cancelled) }
        worker.wait()
        for jar in jars.values { jar.close() }
        jars = [:]
        if let multi { curl_multi_cleanup(multi) }
        pool.drain()
    }

    // MARK: Commands

    /// False when the thread is to end.
    private func carryOutCommands() -> Bool {
        for command in queue.take() { carryOut(command) }
        return !isLeaving
    }

    private func carryOut(_ command: EngineCommand) {
        switch command {
        case .start(let id, let request): start(id, request)
        case .cancel(let id):
            transfers[id].map { end($0, nil, .cancelled) }
            refuseOpening(id, .cancelled)
        case .pause(let id):
            transfers[id]?.isPaused = true
            opening.pause(id, true)
        case .unpause(let id):
            transfers[id].map(unpause)
            opening.pause(id, false)
        case .opened(let id, let source): opened(id, source)
        case .read(let id, let offset, let piece):
            if let transfer = transfers[id] { didRead(transfer, offset, piece) }
        case .emptyJar(let path): emptyJar(path)
        case .synced(let id, let length, let succeeded):
            guard let transfer = transfers[id] else { return }
            transfer.didSync(length: length, succeeded: succeeded)
            if succeeded { report(.synced(id, offset: length)) }
            hasNews(at: MonotonicClock.now)
        case .shutdown:
            isLeaving = true
            for transfer in Array(transfers.values) { end(transfer, nil, .cancelled) }
            for id in opening.ids { refuseOpening(id, .cancelled) }
        }
    }

    private func start(_ id: TransferID, _ request: EngineRequest) {
        guard transfers[id] == nil, opening[id] == nil else {
            // To end it would end the running one in the caller's eyes.
            assertionFailure("transfer \(id.rawValue) runs already")
            return
        }
        let now = MonotonicClock.now
        if isLeaving { return refuse(id, request, .cancelled) }
        if let failure = RequestCheck.failure(of: request) { return refuse(id, request, failure) }
        guard let file = request.upload else { return begin(id, request, nil, now) }
        wake(at: opening.begin(id, request, now: now))
        sources.run { [queue] in
            let source: Result<UploadReader, EngineFailure>
            do throws(EngineFailure) { source = .success(try UploadReader(file)) } catch {
                source = .failure(error)
            }
            _ = queue.post(.opened(id, source))
        }
    }

    /// Nothing of a source that cannot be sent reaches the server.
    private func opened(_ id: TransferID, _ source: Result<UploadReader, EngineFailure>) {
        guard let opened = opening.end(id) else { return }
        switch source {
        case .success(let reader):
            begin(id, opened.request, reader, MonotonicClock.now)
            transfers[id]?.isPaused = opened.isPaused
        case .failure(let failure): refuse(id, opened.request, failure)
        }
    }

    private func refuseOpening(_ id: TransferID, _ failure: EngineFailure) {
        if let opened = opening.end(id) { refuse(id, opened.request, failure) }
    }

    private func begin(_ id: TransferID, _ request: EngineRequest, _ source: UploadReader?, _ now: Double) {
        guard let multi, let handle = CurlHandle(owner: owner) else {
            return refuse(id, request, EngineFailure(.internal, message: "libcurl could not be started"))
        }
        let transfer = RunningTransfer(
            id, request, source: source, handle: handle, pool: pool, sockets: sockets,
            jar: request.cookies.flatMap(jar), engine: self, now: now)
        transfers[id] = transfer
        wake(at: transfer.idleDeadline)
        let code = curl_multi_add_handle(multi, handle.easy)
        if code != CURLM_OK {
            end(transfer, nil, EngineFailure(.internal, message: "libcurl error \(code.rawValue)"))
        }
    }

    private func jar(_ cookies: EngineCookies) -> CookieJar? {
        guard let path = cookies.jar else { return nil }
        if let known = jars[path] { return known }
        let jar = CookieJar(path: cookies.isInMemory ? nil : path, owner: owner)
        jars[path] = jar
        return jar
    }

    /// What transfers that run were given stays with them.
    private func emptyJar(_ path: String) {
        jars.removeValue(forKey: path)?.close()
        unlink(path)
    }

    /// Ends a transfer that never came to libcurl.
    private func refuse(_ id: TransferID, _ request: EngineRequest, _ failure: EngineFailure) {
        report(.ended(id, .neverStarted(request, failure)))
    }

    private func unpause(_ transfer: RunningTransfer) {
        guard transfer.isPaused else { return }
        goOn(transfer, now: MonotonicClock.now)
    }

    /// Has a piece of the source read elsewhere; the transfer waits meanwhile.
    func readElsewhere(_ transfer: RunningTransfer, _ reader: UploadReader, _ offset: Int64) {
        sources.run { [queue, id = transfer.id] in
            let piece: Result<[UInt8], EngineFailure>
            do throws(EngineFailure) { piece = .success(try reader.piece(at: offset)) } catch {
                piece = .failure(error)
            }
            _ = queue.post(.read(id, at: offset, piece))
        }
    }

    private func didRead(
        _ transfer: RunningTransfer, _ offset: Int64, _ piece: Result<[UInt8], EngineFailure>
    ) {
        transfer.take(piece, at: offset)
        if !transfer.isPaused { goOn(transfer, now: MonotonicClock.now) }
    }

    private func goOn(_ transfer: RunningTransfer, now: Double) {
        let code = transfer.goOn(now: now)
        wake(at: transfer.idleDeadline)
        if code != CURLE_OK { end(transfer, code, nil) }
    }

    // MARK: News

    func report(_ report: EngineReport) {
        owner.check()
        deliver(report)
    }

    func hasGathered(_ transfer: RunningTransfer) {
        gathered.append(transfer)
        hasNews(at: MonotonicClock.now)
    }

    func waitsForReader(_ transfer: RunningTransfer) {
        if !waiting.contains(where: { $0 === transfer }) { waiting.append(transfer) }
    }

    func hasNews(at now: Double) { wake(at: max(now, lastProgress + Self.progressInterval)) }

    func wake(at time: Double) { nextTick = min(nextTick, time) }

    /// Looks at every transfer; its cost is bounded by how often it may run, not by how many bytes arrive.
    private func tick(_ now: Double) {
        owner.check()
        nextTick = .infinity
        let tellsProgress = now >= lastProgress + Self.progressInterval
        var news: [TransferProgress] = []
        let late = opening.overdue(now)
        for id in late.ids { refuseOpening(id, .idle) }
        wake(at: late.next)
        for transfer in Array(transfers.values) {
            if transfer.measureUpload(now: now) { wake(at: now + Self.progressInterval) }
            if let heldUntil = transfer.heldUntil, !transfer.isPaused {
                if now >= heldUntil { goOn(transfer, now: now) } else { wake(at: heldUntil) }
            }
            if now >= transfer.idleDeadline { end(transfer, nil, .idle) }
            guard transfers[transfer.id] === transfer else { continue }
            wake(at: min(transfer.idleDeadline, transfer.syncIfDue(now, with: worker)))
            if tellsProgress, let change = transfer.news() { news.append(change) }
        }
        if tellsProgress, !news.isEmpty {
            lastProgress = now
            report(.progress(news))
        }
        if !tellsProgress { hasNews(at: now) }
    }
}
