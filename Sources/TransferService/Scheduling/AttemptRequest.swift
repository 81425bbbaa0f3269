// What the engine is asked for one attempt: the task's request, the session's additions, and the range
// that the plan asks for. Pure.
import Foundation
import HTTPEngine
import TransferProtocol
import TransferStore

enum AttemptRequest {
    static func make(
        _ task: TaskRecord, _ configuration: SessionConfigurationRecord, plan: AttemptPlan, sink: String,
        extras: AttemptExtras = AttemptExtras(), cookieJar: String? = nil
    ) -> EngineRequest {
        let held = task.held
        let asked = extras.instead ?? task.request
        let fields = Self.fields(task, configuration, extras)
        let own = OwnConditions(fields)
        let asks = extras.asks(task)
        var request = EngineRequest(
            url: asked.url, method: extras.instead?.method ?? method(task),
            headers: headers(fields, task, plan), sink: sink
        ) { head in
            disposition(
                ResumePolicy.judge(
                    ResponseRecord(head), plan: plan, held: held, own: own, asks: asks,
                    hasBody: head.hasBody), asks)
        }
        request.sinkIsPipe = task.pipe != nil
        request.upload = extras.sendsBody ? task.source.map(UploadFile.init) : nil
        request.idleTimeout = asked.timeout ?? configuration.timeoutForRequest
        request.connectTimeout = request.idleTimeout
        request.proxies = EngineProxies(configuration.proxies)
        request.caFile = configuration.certificateFile
        request.caPath = configuration.certificateFolder
        request.additionalCAFile = configuration.additionalCertificateFile
        request.pinnedKeys = configuration.pinnedKeys?.joined(separator: ";")
        request.identity = configuration.identity.map(EngineIdentity.init)
        request.credential = extras.credential
        request.proxyCredential = extras.proxyCredential
        request.followsRedirects = extras.followsRedirects
        if asked.handlesCookies != false {
            request.cookies = configuration.cookies.map {
                EngineCookies($0, jar: cookieJar, mainDocument: asked.mainDocument)
            }
        }
        return request
    }

    private static func method(_ task: TaskRecord) -> String {
        // Apple's upload tasks made from a plain URL request send POST.
        task.kind == .upload && task.request.method == "GET" ? "POST" : task.request.method
    }

    private static func headers(
        _ own: [HeaderField], _ task: TaskRecord, _ plan: AttemptPlan
    ) -> [EngineHeader] {
        var fields = own
        // A compressed body cannot be continued (HTTP.md, "Ask"); the engine asks for `identity` by itself.
        if task.kind == .download { fields.removeAll { $0.name.lowercased() == "accept-encoding" } }
        if case .rest(let offset, let validator) = plan {
            fields = OwnConditions.removed(from: fields)
            fields.append(HeaderField("Range", "bytes=\(offset)-"))
            fields.append(HeaderField("If-Range", validator))
        }
        return fields.map { EngineHeader(name: $0.name, value: $0.value) }
    }

    /// What goes out, before anything is added for the bytes on disk.
    static func fields(
        _ task: TaskRecord, _ configuration: SessionConfigurationRecord, _ extras: AttemptExtras
    ) -> [HeaderField] {
        extras.instead?.headers ?? ownFields(task, configuration)
    }

    /// The request's own fields win over the session's (Apple: httpAdditionalHeaders).
    static func ownFields(
        _ task: TaskRecord, _ configuration: SessionConfigurationRecord
    ) -> [HeaderField] {
        let own = task.request.headers
        return own + configuration.additionalHeaders.filter { own.first($0.name) == nil }
    }

    private static func disposition(_ verdict: Verdict, _ asks: AskRule) -> BodyDisposition {
        switch verdict {
        case .challenged where !asks.canHold: .keepAside(atMost: HeldAnswer.largest)
        case .take: .replace
        case .append(let end, _): .append(until: end)
        case .alreadyComplete, .startAgain, .retryLater, .fail, .challenged: .refuse
        }
    }
}

extension ResponseRecord {
    init(_ head: EngineHead) {
        self.init(
            url: head.url, status: head.status, version: head.version,
            headers: head.headers.map { HeaderField($0.name, $0.value) })
    }
}

extension UploadFile {
    init(_ source: UploadSource) {
        self.init(
            path: source.path, device: source.device, inode: source.inode, size: source.size,
            modifiedSeconds: source.modifiedSeconds, modifiedNanoseconds: source.modifiedNanoseconds)
    }
}

extension EngineProxies {
    init(_ record: ProxyRecord) {
        self.init(http: record.http, https: record.https, all: record.all, noProxy: record.exceptions)
    }
}

extension EngineIdentity {
    init(_ record: IdentityRecord) {
        self.init(
            certificateFile: record.certificateFile, keyFile: record.keyFile, password: record.password)
    }
}

extension EngineCookies {
    init(_ record: CookieRecord, jar: String?, mainDocument: String?) {
        let accepts: Acceptance
        switch record.accepts {
        case "never": accepts = .never
        case "mainDocument": accepts = mainDocument.map { .fromHostOf($0) } ?? .always
        default: accepts = .always
        }
        self.init(jar: jar, sends: record.sends, accepts: accepts)
        isInMemory = record.inMemory == true
    }
}
