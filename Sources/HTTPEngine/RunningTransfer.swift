// One transfer while it runs: what libcurl's callbacks do, and what the transfer has come to. It does not
// end itself: the engine does, when libcurl says so or a deadline passed. Lives on curl's thread.
import CCurl
import Foundation

final class RunningTransfer {
    let id: TransferID
    let request: EngineRequest
    let handle: CurlHandle
    let sink: BodySink
    /// Takes the body in the sink's place.
    let pipe: PipeSink?
    /// The pipe is full, and libcurl was told to wait.
    private(set) var isHeldByReader = false
    private(set) var head: EngineHead?
    private(set) var isAnswered = false
    /// What this side found wrong. It outranks libcurl's code, which only says that a callback gave up.
    private(set) var failure: EngineFailure?
    var isPaused = false
    /// When a body that came faster than its limit may go on; nil when it is not held.
    private(set) var heldUntil: Double?

    private unowned let engine: EngineThread
    private let upload: UploadSide?
    private var chain: RedirectChain
    private var reader = HeadReader()
    private var meter: ProgressMeter
    private var syncing: SyncPlan?
    private var lastMove: Double
    private var limit: ReceiveLimit?
    /// The body's end in the sink, when the judge knows it.
    private var bodyEnd = Int64.max
    private var transactions = TransactionLog()
    private let began = Date()
    private let beganAt: Double
    private let cookies: TransferCookies?
    /// A head that asks for a password while one is given: libcurl may ask again with it, and then this
    /// was not the answer.
    private var undecided: EngineHead?
    private var redirect: EngineRedirect?
    /// The body, while it is kept aside, and how long it may become.
    private var aside: (bytes: [UInt8], limit: Int)?
    /// Of the present request's connection.
    private var tls = (version: 0, suite: 0)

    init(
        _ id: TransferID, _ request: EngineRequest, source: UploadReader?, handle: CurlHandle,
        pool: BufferPool, sockets: SocketTable, jar: CookieJar?, engine: EngineThread, now: Double
    ) {
        self.id = id
        self.request = request
        self.handle = handle
        self.engine = engine
        sink = BodySink(path: request.sink, pool: pool)
        pipe = request.sinkIsPipe ? PipeSink(path: request.sink) : nil
        chain = RedirectChain(request)
        meter = ProgressMeter(total: request.upload?.size ?? 0)
        lastMove = now
        beganAt = now
        limit = request.bytesPerSecond.flatMap { $0 > 0 ? ReceiveLimit(bytesPerSecond: $0) : nil }
        upload = source.map { UploadSide($0, sockets: sockets) }
        cookies = request.cookies.map {
            TransferCookies(
                $0, jar: jar, on: handle.easy,
                hasOwnHeader: request.headers.contains { $0.name.lowercased() == "cookie" })
        }
        handle.configure(request, shape: chain.shape)
        CurlCallbacks.install(self)
        CurlCallbacks.install(sockets, on: self)
    }

    // MARK: Callbacks

    /// False ends the transfer.
    func takeHeadLine(_ bytes: UnsafeRawBufferPointer) -> Bool {
        lastMove = MonotonicClock.now
        // After the final head only a chunked body's trailers come.
        guard !isAnswered else { return true }
        guard let block = reader.take(bytes) else {
            // Said at the status line, before libcurl sees an address to follow.
            if let status = reader.status {
                handle.setFollowing(request.followsRedirects && HeadReader.isRedirect(status))
            }
            return reader.isTooLarge ? fail(Self.senseless("the answer's head is too large")) : true
        }
        guard block.status >= 200 else { return true }
        if let undecided { log(undecided) }
        undecided = nil
        let head = chain.head(of: block, url: handle.effectiveURL)
        self.head = head
        cookies?.take(from: head.url)
        _ = measureUpload(now: lastMove)
        if !block.redirectTargets.isEmpty, request.followsRedirects {
            log(head)
            chain.follow(block, base: handle.effectiveURL)
            handle.apply(chain.shape, noProxy: request.proxies.noProxy)
            return true
        }
        redirect = chain.next(after: block, base: handle.effectiveURL)
        if asksForWhatIsGiven(head.status) {
            undecided = head
            return true
        }
        isAnswered = true
        return judge(head)
    }

    private func asksForWhatIsGiven(_ status: Int) -> Bool {
        status == 401 && request.credential != nil || status == 407 && request.proxyCredential != nil
    }

    /// libcurl passes on no body of a head that it goes on from: this was the answer after all.
    private func decide() -> Bool {
        guard let head = undecided else { return true }
        undecided = nil
        isAnswered = true
        return judge(head)
    }

    /// Bytes taken, or libcurl's word for "later" or "no".
    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard decide() else { return bytes.isEmpty ? 1 : 0 }
        let now = MonotonicClock.now
        if isPaused || isHeld(now) { return Int(CURL_WRITEFUNC_PAUSE) }
        lastMove = now
        if aside != nil { return keepAside(bytes) }
        guard bodyEnd - sink.end >= bytes.count else {
            _ = fail(.refused)
            return 0
        }
        if let pipe { return takeBody(bytes, into: pipe) }
        limit?.take(bytes.count, now)
        let wasGathering = sink.isGathering
        do throws(EngineFailure) { try sink.take(bytes) } catch {
            _ = fail(error)
            return bytes.isEmpty ? 1 : 0
        }
        if !wasGathering { engine.hasGathered(self) }
        transactions.didDecode(bytes.count)
        return bytes.count
    }

    private func keepAside(_ bytes: UnsafeRawBufferPointer) -> Int {
        aside?.bytes += bytes
        guard let aside, aside.bytes.count > aside.limit else { return bytes.count }
        self.aside = nil
        _ = fail(.refused)
        return 0
    }

    private func takeBody(_ bytes: UnsafeRawBufferPointer, into pipe: PipeSink) -> Int {
        do throws(EngineFailure) {
            engine.hasNews(at: lastMove)
            if try pipe.take(bytes) {
                limit?.take(bytes.count, lastMove)
                transactions.didDecode(bytes.count)
                return bytes.count
            }
            isHeldByReader = true
            engine.waitsForReader(self)
            return Int(CURL_WRITEFUNC_PAUSE)
        } catch {
            _ = fail(error)
            return bytes.isEmpty ? 1 : 0
        }
    }

    private func isHeld(_ now: Double) -> Bool {
        guard let limit, !limit.admits(now) else { return false }
        heldUntil = limit.opensAt
        engine.wake(at: limit.opensAt)
        return true
    }

    func giveBody(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        if isPaused { return Int(CURL_READFUNC_PAUSE) }
        guard let upload, chain.shape.sendsBody else { return 0 }
        let now = MonotonicClock.now
        do throws(EngineFailure) {
            guard let count = try upload.read(into: buffer, now: now) else {
                if let offset = upload.beginWaiting() { engine.readElsewhere(self, upload.reader, offset) }
                return Int(CURL_READFUNC_PAUSE)
            }
            lastMove = now
            engine.hasNews(at: now)
            if count > 0 { transactions.didSend(at: now - beganAt) }
            return count
        } catch {
            _ = fail(error)
            return Int(CURL_READFUNC_ABORT)
        }
    }

    /// A piece of the source that had to be waited for.
    func take(_ piece: Result<[UInt8], EngineFailure>, at offset: Int64) {
        upload?.take(piece, at: offset)
    }

    func rewind(to offset: Int64) -> Bool {
        meter.rewind()
        return upload?.seek(to: offset) ?? (offset == 0)
    }

    func connectionIsReady(localPort: Int32, remotePort: Int32) {
        tls = handle.tls
        guard chain.shape.sendsBody else { return }
        upload?.connectionIsReady(for: self, localPort: localPort, remotePort: remotePort)
    }

    /// libcurl gave up sending. If the server had answered by then, that is what happened.
    func socketWillClose(_ descriptor: Int32) {
        upload?.socketWillClose()
        guard failure == nil, !isAnswered else { return }
        let answer = EarlyAnswer(socket: descriptor)
        for line in answer.lines {
            guard line.withUnsafeBytes({ takeHeadLine($0) }) else { return }
        }
        guard isAnswered, let head, !head.hasCodings else { return }
        let body = answer.rest.prefix(Int(head.bodyLength ?? Int64(answer.rest.count)))
        if !body.isEmpty { _ = body.withUnsafeBytes { takeBody($0) } }
    }

    private func judge(_ head: EngineHead) -> Bool {
        if head.hasConflictingLengths { return fail(Self.senseless("the answer has two different lengths")) }
        let disposition = request.judge(head)
        if case .keepAside(let limit) = disposition {
            aside = ([], limit)
        } else if disposition != .refuse {
            do throws(EngineFailure) {
                if let pipe { try pipe.open() } else { try sink.open(emptied: disposition == .replace) }
            } catch {
                return fail(error)
            }
            if case .append(let end) = disposition { bodyEnd = end }
            if pipe == nil { syncing = SyncPlan(length: sink.length, now: lastMove) }
        }
        engine.report(.head(id, head, disposition))
        return disposition == .refuse ? fail(.refused) : true
    }

    private func fail(_ failure: EngineFailure) -> Bool {
        if self.failure == nil { self.failure = failure }
        return false
    }

    private static func senseless(_ message: String) -> EngineFailure {
        EngineFailure(.badResponse, message: message)
    }

    // MARK: Between rounds

    /// Writes what this round gathered; nil when all went well.
    func flush() -> EngineFailure? {
        do throws(EngineFailure) { try sink.flush() } catch { return error }
        return nil
    }

    /// Lets libcurl hand over what it held back, from within this call.
    func goOn(now: Double) -> CURLcode {
        isPaused = false
        heldUntil = nil
        isHeldByReader = false
        lastMove = now
        return handle.unpause()
    }

    /// When the transfer has been silent for too long. One that is held is silent by this side's will, and
    /// a limited upload is between two buffers.
    var idleDeadline: Double {
        guard !isPaused, heldUntil == nil, !isHeldByReader, request.idleTimeout > 0 else { return .infinity }
        var own = 0.0
        if chain.shape.sendsBody, let limit = request.bytesPerSecond, limit > 0 {
            own = 2 * Double(CurlHandle.throttledUploadBuffer) / Double(limit)
        }
        return lastMove + request.idleTimeout + own
    }

    /// Whether bytes of the upload wait in the kernel: nothing will wake anybody when they leave.
    func measureUpload(now: Double) -> Bool {
        guard let upload, chain.shape.sendsBody, !isAnswered else { return false }
        let (written, unsent) = upload.measure(written: handle.bytesWritten)
        if meter.measure(written: written, unsent: unsent) { lastMove = now }
        return unsent > 0
    }

    func news() -> TransferProgress? {
        meter.news(id, bodyLength: pipe?.length ?? sink.length, expected: isAnswered ? head?.bodyLength : nil)
    }

    /// Starts a sync when one is due; returns when to ask again.
    func syncIfDue(_ now: Double, with worker: SyncWorker) -> Double {
        guard let plan = syncing else { return .infinity }
        guard plan.isDue(length: sink.length, now: now) else { return plan.deadline(length: sink.length) }
        syncing?.begin(now)
        let length = sink.length
        worker.sync(sink.descriptor) { [engine, id] succeeded in
            engine.post(.synced(id, length: length, succeeded: succeeded))
        }
        return .infinity
    }

    func didSync(length: Int64, succeeded: Bool) { syncing?.end(length: length, succeeded: succeeded) }

    // MARK: The end

    /// What the transfer came to. `code` is libcurl's word, nil when the engine ends it.
    func outcome(_ code: CURLcode?, _ given: EngineFailure?) -> EngineOutcome {
        if code == CURLE_OK { _ = decide() }
        var failure = failure ?? given ?? code.flatMap { isSuccess($0) ? nil : handle.verdict($0).failure }
        if let unwritten = flush(), failure == nil { failure = unwritten }
        let length = pipe?.length ?? sink.lengthOnDisk
        sink.close()
        pipe?.close()
        if failure == nil, isAllSent { meter.finish() }
        log(isAnswered ? head : nil)
        var outcome = EngineOutcome(
            result: failure.map { .failure($0) } ?? .success(()), head: head, bodyLength: length,
            sent: meter.sent, isCloseDelimited: isAnswered && head?.isCloseDelimited == true,
            metrics: handle.metrics)
        outcome.transactions = transactions.transactions
        outcome.began = began
        outcome.redirect = redirect
        if failure == nil { outcome.keptBody = aside?.bytes }
        outcome.cookies = cookies?.changes ?? CookieChanges()
        if failure?.kind == .proxyAuthenticationRequired { outcome.proxySchemes = handle.proxySchemes }
        return outcome
    }

    /// The request as it is now has been answered, or has come to its end.
    private func log(_ head: EngineHead?) {
        var sum = handle.metrics
        (sum.tlsVersion, sum.tlsSuite) = tls
        tls = (0, 0)
        transactions.add(
            url: handle.effectiveURL, method: chain.shape.method, head: head, sum: sum,
            elapsed: MonotonicClock.now - beganAt,
            proxyPort: chain.shape.proxy.flatMap { Origin($0) }.flatMap { Int($0.port) })
    }

    private var isAllSent: Bool {
        chain.shape.sendsBody && upload?.isAllSent(written: handle.bytesWritten) == true
    }

    /// A server may answer before it has read the body, and close: what it said is the answer, not the
    /// broken pipe that came of it.
    private func isSuccess(_ code: CURLcode) -> Bool {
        if code == CURLE_OK { return true }
        guard isAnswered, chain.shape.sendsBody else { return false }
        return code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR && !isAllSent
    }
}
