// What the service is told of a configuration, with what the environment says about proxies and
// certificates at that moment: the service itself does not read its own.
import Foundation
import TransferProtocol

extension SessionConfigurationRecord {
    init(_ configuration: URLSessionConfiguration) {
        self.init()
        timeoutForRequest = configuration.timeoutIntervalForRequest
        timeoutForResource = configuration.timeoutIntervalForResource
        maximumConnectionsPerHost = configuration.httpMaximumConnectionsPerHost
        isDiscretionary = configuration.isDiscretionary
        sendsLaunchEvents = configuration.sessionSendsLaunchEvents
        allowsCellularAccess = configuration.allowsCellularAccess
        allowsExpensiveNetworkAccess = configuration.allowsExpensiveNetworkAccess
        allowsConstrainedNetworkAccess = configuration.allowsConstrainedNetworkAccess
        additionalHeaders = (configuration.httpAdditionalHeaders ?? [:])
            .map { HeaderField("\($0.key.base)", "\($0.value)") }
            .sorted { $0.name < $1.name }
        if configuration.isProcessBound {
            isProcessBound = true
            isEphemeral = configuration.kind == .ephemeral ? true : nil
            waitsForConnectivity = configuration.waitsForConnectivity ? true : nil
        }
        let environment = configuration.access.environment
        proxies =
            configuration.connectionProxyDictionary.map { ProxyRecord($0) } ?? ProxyRecord(environment)
        certificateFile = Self.path(environment, ["CURL_CA_BUNDLE", "SSL_CERT_FILE"])
        certificateFolder = Self.path(environment, ["SSL_CERT_DIR"])
        additionalCertificateFile = configuration.additionalCertificates?.absoluteURL.path
        pinnedKeys = configuration.pinnedPublicKeys.isEmpty ? nil : configuration.pinnedPublicKeys
        identity = configuration.clientIdentity.map {
            IdentityRecord(
                certificateFile: $0.certificate.absoluteURL.path,
                keyFile: $0.privateKey?.absoluteURL.path, password: $0.password)
        }
        // Background sessions follow redirects without asking.
        answers = configuration.isProcessBound ? [.challenge, .redirect] : [.challenge]
        // A process-bound session with a storage exchanges cookies with it on this side.
        if configuration.keepsCookies, CookieExchange(configuration) == nil {
            cookies = CookieRecord(
                sends: configuration.httpShouldSetCookies, accepts: configuration.httpCookieAcceptPolicy.word)
            if configuration.isProcessBound { cookies?.inMemory = true }
        }
        launchCommand = configuration.isProcessBound ? nil : configuration.launchCommand?.record(environment)
    }

    /// The service works in another folder, so that a relative path is made absolute here.
    private static func path(_ environment: [String: String], _ names: [String]) -> String? {
        environment.first(of: names).map { URL(fileURLWithPath: $0).path }
    }
}

extension ProxyRecord {
    /// As curl reads it: HTTP_PROXY in capitals is ignored, since a web server sets it from a request's
    /// header.
    init(_ environment: [String: String]) {
        self.init()
        http = environment.first(of: ["http_proxy"])
        https = environment.first(of: ["https_proxy", "HTTPS_PROXY"])
        all = environment.first(of: ["all_proxy", "ALL_PROXY"])
        exceptions = environment.first(of: ["no_proxy", "NO_PROXY"])
    }
}

extension [String: String] {
    /// The first of these that is set and not empty.
    fileprivate func first(of names: [String]) -> String? {
        names.lazy.compactMap { self[$0] }.first { !$0.isEmpty }
    }
}

extension HTTPCookie.AcceptPolicy {
    fileprivate var word: String {
        switch self {
        case .always: "always"
        case .never: "never"
        case .onlyFromMainDocumentDomain: "mainDocument"
        @unknown default: "mainDocument"
        }
    }
}
