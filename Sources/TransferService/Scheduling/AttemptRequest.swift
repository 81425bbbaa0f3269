// What the engine is asked for one attempt: the task's request, the session's additions, and the range
// that the plan asks for. Pure.
import Foundation
import HTTPEngine
import TransferProtocol
import TransferStore

enum AttemptRequest {
    static func make(
        _ task: TaskRecord, _ configuration: SessionConfigurationRecord, plan: AttemptPlan, sink: String
    ) -> EngineRequest {
        let held = task.held
        let asksRange = asksRange(task, configuration)
        var request = EngineRequest(
            url: task.request.url, method: method(task), headers: headers(task, configuration, plan),
            sink: sink
        ) { head in
            disposition(
                ResumePolicy.judge(ResponseRecord(head), plan: plan, held: held, asksRange: asksRange))
        }
        request.sinkIsPipe = task.pipe != nil
        request.upload = task.source.map(UploadFile.init)
        request.idleTimeout = task.request.timeout ?? configuration.timeoutForRequest
        request.connectTimeout = request.idleTimeout
        request.proxies = EngineProxies(configuration.proxies)
        request.caFile = configuration.certificateFile
        request.caPath = configuration.certificateFolder
        return request
    }

    private static func method(_ task: TaskRecord) -> String {
        // Apple's upload tasks made from a plain URL request send POST.
        task.kind == .upload && task.request.method == "GET" ? "POST" : task.request.method
    }

    /// Whether the app itself asks for a part, so that a 206 is what it wants.
    static func asksRange(_ task: TaskRecord, _ configuration: SessionConfigurationRecord) -> Bool {
        ownFields(task, configuration).first("Range") != nil
    }

    private static func headers(
        _ task: TaskRecord, _ configuration: SessionConfigurationRecord, _ plan: AttemptPlan
    ) -> [EngineHeader] {
        var fields = ownFields(task, configuration)
        // A compressed body cannot be continued (HTTP.md, "Ask"); the engine asks for `identity` by itself.
        if task.kind == .download { fields.removeAll { $0.name.lowercased() == "accept-encoding" } }
        if case .rest(let offset, let validator) = plan {
            // Two of either would contradict each other: the ones that fit the bytes on disk go out.
            fields.removeAll { ["range", "if-range"].contains($0.name.lowercased()) }
            fields.append(HeaderField("Range", "bytes=\(offset)-"))
            fields.append(HeaderField("If-Range", validator))
        }
        return fields.map { EngineHeader(name: $0.name, value: $0.value) }
    }

    /// The request's own fields win over the session's (Apple: httpAdditionalHeaders).
    private static func ownFields(
        _ task: TaskRecord, _ configuration: SessionConfigurationRecord
    ) -> [HeaderField] {
        let own = task.request.headers
        return own + configuration.additionalHeaders.filter { own.first($0.name) == nil }
    }

    private static func disposition(_ verdict: Verdict) -> BodyDisposition {
        switch verdict {
        case .take: .replace
        case .append(let end, _): .append(until: end)
        case .alreadyComplete, .startAgain, .retryLater, .fail: .refuse
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
