// URLRequest and HTTPURLResponse to and from the words of the protocol. Addresses pass byte for byte.
import Foundation
import FoundationNetworking
import TransferProtocol

extension RequestRecord {
    /// The request without its body. A timeout that was left at the default is the session's.
    init(_ request: URLRequest, defaultMethod: String = "GET") {
        let fields = request.allHTTPHeaderFields ?? [:]
        self.init(
            url: request.url?.absoluteString ?? "",
            // URLRequest says GET when nothing was said.
            method: request.httpMethod == nil || request.httpMethod == "GET"
                ? defaultMethod : request.httpMethod ?? defaultMethod,
            headers: fields.sorted { $0.key < $1.key }.map { HeaderField($0.key, $0.value) },
            timeout: request.timeoutInterval == 60 ? nil : request.timeoutInterval)
        if !request.allowsCellularAccess { allowsCellularAccess = false }
        if !request.httpShouldHandleCookies { handlesCookies = false }
        mainDocument = request.mainDocumentURL?.host
    }

    /// Why no transfer can come of this request; nil when one can.
    static func objection(to request: URLRequest) -> ErrorRecord? {
        guard let url = request.url else {
            return ErrorRecord(ErrorCode.badURL, "The request has no address.")
        }
        let address = url.withoutSecrets
        let scheme = url.scheme?.lowercased() ?? ""
        guard scheme == "http" || scheme == "https" else {
            return ErrorRecord(
                ErrorCode.unsupportedURL,
                "Only http and https addresses can be transferred, not \(address).",
                url: url.absoluteString)
        }
        guard let host = url.host, !host.isEmpty else {
            return ErrorRecord(
                ErrorCode.badURL, "The address \(address) names no host.", url: url.absoluteString)
        }
        return nil
    }
}

extension URL {
    /// The address without user, password, query and fragment, for messages.
    fileprivate var withoutSecrets: String {
        var parts = URLComponents(url: self, resolvingAgainstBaseURL: true)
        parts?.user = nil
        parts?.password = nil
        parts?.query = nil
        parts?.fragment = nil
        return parts?.string ?? scheme.map { $0 + ":…" } ?? "the address"
    }

    /// The address as it is, never repaired.
    init?(exactly text: String) {
        self.init(string: text, encodingInvalidCharacters: false)
    }
}

extension URLRequest {
    /// The request as an app sees it; nil when its address is none.
    init?(_ record: RequestRecord) {
        guard let url = URL(exactly: record.url) else { return nil }
        self.init(url: url)
        httpMethod = record.method
        for field in record.headers { addValue(field.value, forHTTPHeaderField: field.name) }
        if let timeout = record.timeout { timeoutInterval = timeout }
        if record.allowsCellularAccess == false { allowsCellularAccess = false }
        if record.handlesCookies == false { httpShouldHandleCookies = false }
    }
}

extension HTTPURLResponse {
    /// The answer's head; repeated fields are joined by commas (RFC 9110 §5.3).
    convenience init?(_ record: ResponseRecord) {
        guard let url = URL(exactly: record.url) else { return nil }
        var fields: [String: String] = [:]
        var spelling: [String: String] = [:]
        for field in record.headers {
            let name = spelling[field.name.lowercased(), default: field.name]
            spelling[field.name.lowercased()] = name
            fields[name] = fields[name].map { $0 + ", " + field.value } ?? field.value
        }
        self.init(url: url, statusCode: record.status, httpVersion: record.version, headerFields: fields)
    }
}
