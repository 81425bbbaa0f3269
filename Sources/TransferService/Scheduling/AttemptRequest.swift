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
        let asksRange = task.request.headers.first("Range") != nil
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

    private static func headers(
        _ task: TaskRecord, _ configuration: SessionConfigurationRecord, _ plan: AttemptPlan
    ) -> [EngineHeader] {
        var fields = task.request.headers
        // The request's own fields win over the session's (Apple: httpAdditionalHeaders).
        for extra in configuration.additionalHeaders where fields.first(extra.name) == nil {
            fields.append(extra)
        }
        if case .rest(let offset, let validator) = plan {
            fields.append(HeaderField("Range", "bytes=\(offset)-"))
            fields.append(HeaderField("If-Range", validator))
        }
        return fields.map { EngineHeader(name: $0.name, value: $0.value) }
    }

    private static func disposition(_ verdict: Verdict) -> BodyDisposition {
        switch verdict {
        case .take: .replace
        case .append: .append
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
