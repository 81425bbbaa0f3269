// One libcurl easy handle: what is asked of it, and what it knows. It owns the handle and the lists that
// libcurl only points to; it does not know what bytes are for. Lives on curl's thread.
import CCurl
import Foundation

final class CurlHandle {
    let easy: UnsafeMutableRawPointer
    private let owner: ThreadOwner
    private let errorText: UnsafeMutablePointer<CChar>
    /// Also the lists of earlier redirects: libcurl may look at them until the transfer's end.
    private var lists: [HeaderList] = []
    private var isOpen = true

    init?(owner: ThreadOwner) {
        owner.check()
        guard let easy = curl_easy_init() else { return nil }
        self.easy = easy
        self.owner = owner
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    /// Explicit, because curl must not be touched wherever a last reference happens to go.
    func close() {
        owner.check()
        guard isOpen else { return }
        isOpen = false
        curl_easy_cleanup(easy)
        errorText.deallocate()
        lists = []
    }

    // MARK: Options

    func configure(_ request: EngineRequest, shape: RequestShape) {
        set(CURLOPT_URL, request.url)
        set(CURLOPT_PATH_AS_IS, 1)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
        set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        set(CURLOPT_FOLLOWLOCATION, request.followsRedirects ? 1 : 0)
        set(CURLOPT_MAXREDIRS, max(0, request.maximumRedirects))
        set(CURLOPT_UNRESTRICTED_AUTH, 0)
        set(CURLOPT_FAILONERROR, 0)
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_NOPROGRESS, 1)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        // Without it, removing a handle waits for a name lookup that may take half a minute.
        set(CURLOPT_QUICK_EXIT, 1)
        // Sends just "identity", and still decodes a server that compresses all the same.
        set(CURLOPT_ACCEPT_ENCODING, "identity")
        // Without a bound of its own a connection has a day; libcurl takes 0 for its own five minutes.
        let connectTimeout = request.connectTimeout > 0 ? min(request.connectTimeout, 86_400) : 86_400
        set(CURLOPT_CONNECTTIMEOUT_MS, max(1, Int(connectTimeout * 1000)))
        if let caFile = request.caFile { set(CURLOPT_CAINFO, caFile) }
        if let caPath = request.caPath { set(CURLOPT_CAPATH, caPath) }
        setTrust(request)
        setCredentials(request)
        ccurl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
        limit(request.bytesPerSecond)
        setMethod(shape, uploadSize: request.upload?.size ?? 0)
        apply(shape, noProxy: request.proxies.noProxy)
    }

    private func setTrust(_ request: EngineRequest) {
        if let file = request.additionalCAFile, let bundle = CertificateBundle(request.caFile, adding: file) {
            bundle.bytes.withUnsafeBytes { bytes in
                _ = ccurl_set_blob(easy, CURLOPT_CAINFO_BLOB, bytes.baseAddress, bytes.count)
            }
        }
        if let keys = request.pinnedKeys { set(CURLOPT_PINNEDPUBLICKEY, keys) }
        guard let identity = request.identity else { return }
        set(CURLOPT_SSLCERT, identity.certificateFile)
        set(CURLOPT_SSLCERTTYPE, identity.isPKCS12 ? "P12" : "PEM")
        set(CURLOPT_SSLKEY, identity.keyFile ?? (identity.isPKCS12 ? "" : identity.certificateFile))
        if let password = identity.password { set(CURLOPT_KEYPASSWD, password) }
    }

    private func setCredentials(_ request: EngineRequest) {
        if let credential = request.credential {
            set(CURLOPT_HTTPAUTH, credential.mask)
            set(CURLOPT_USERNAME, credential.user)
            set(CURLOPT_PASSWORD, credential.password)
        }
        if let credential = request.proxyCredential {
            set(CURLOPT_PROXYAUTH, credential.mask)
            set(CURLOPT_PROXYUSERNAME, credential.user)
            set(CURLOPT_PROXYPASSWORD, credential.password)
        }
    }

    /// Headers, proxy and named method: all that a redirect may change. Also called from within a header
    /// callback, before libcurl makes the next request.
    func apply(_ shape: RequestShape, noProxy: String?) {
        owner.check()
        let server = HeaderList(
            shape.serverHeaders, suppressing: ["Expect", shape.expectsBody ? "Content-Type" : "Expect"])
        let proxy = HeaderList(shape.proxyHeaders)
        lists += [server, proxy]
        set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
        ccurl_set_list(easy, CURLOPT_HTTPHEADER, server.first)
        ccurl_set_list(easy, CURLOPT_PROXYHEADER, proxy.first)
        let isPlain = shape.method == (shape.expectsBody ? "POST" : "GET") || shape.method == "HEAD"
        ccurl_set_string(easy, CURLOPT_CUSTOMREQUEST, isPlain ? nil : shape.method)
        // Empty strings, not nil: nil makes libcurl look into the environment.
        set(CURLOPT_PROXY, shape.proxy ?? "")
        set(CURLOPT_NOPROXY, noProxy ?? "")
    }

    /// Every body goes as libcurl's POST, under the name it should have: libcurl then drops it at a 303
    /// whatever the name is, which its PUT does not.
    private func setMethod(_ shape: RequestShape, uploadSize: Int64) {
        if shape.expectsBody {
            set(CURLOPT_POST, 1)
            ccurl_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(uploadSize))
            if !shape.sendsBody { set(CURLOPT_COPYPOSTFIELDS, "") }
            set(
                CURLOPT_POSTREDIR, shape.method == "POST" ? 0 : Int(CURL_REDIR_POST_301 | CURL_REDIR_POST_302)
            )
        } else if shape.method == "HEAD" {
            set(CURLOPT_NOBODY, 1)
        } else {
            set(CURLOPT_HTTPGET, 1)
        }
    }

    /// A large buffer halves the CPU; with a limit, small ones make the flow even. Receiving is limited by
    /// `ReceiveLimit`, sending by libcurl.
    private func limit(_ bytesPerSecond: Int?) {
        guard let limit = bytesPerSecond, limit > 0 else {
            set(CURLOPT_BUFFERSIZE, Self.fastBuffer)
            return set(CURLOPT_UPLOAD_BUFFERSIZE, Self.fastBuffer)
        }
        set(CURLOPT_BUFFERSIZE, min(16 << 10, max(1 << 10, limit / 4)))
        set(CURLOPT_UPLOAD_BUFFERSIZE, Self.throttledUploadBuffer)
        ccurl_set_offset(easy, CURLOPT_MAX_SEND_SPEED_LARGE, curl_off_t(limit))
    }

    private static let fastBuffer = 256 << 10
    /// The least that libcurl allows.
    static let throttledUploadBuffer = 16 << 10

    private func set(_ option: CURLoption, _ value: Int) {
        owner.check()
        ccurl_set_long(easy, option, value)
    }

    private func set(_ option: CURLoption, _ value: String) {
        owner.check()
        ccurl_set_string(easy, option, value)
    }

    func setFollowing(_ follows: Bool) { set(CURLOPT_FOLLOWLOCATION, follows ? 1 : 0) }

    func unpause() -> CURLcode {
        owner.check()
        return curl_easy_pause(easy, CURLPAUSE_CONT)
    }

    // MARK: What it knows

    var effectiveURL: String { string(CURLINFO_EFFECTIVE_URL) ?? "" }

    /// Body bytes given to the kernel in the current request.
    var bytesWritten: Int64 { offset(CURLINFO_SIZE_UPLOAD_T) }

    func verdict(_ code: CURLcode) -> CurlVerdict {
        let text = String(cString: errorText)
        return CurlVerdict(
            code: code, osError: Int32(long(CURLINFO_OS_ERRNO)),
            verifyResult: long(CURLINFO_SSL_VERIFYRESULT),
            connectStatus: long(CURLINFO_HTTP_CONNECTCODE),
            alert: text.range(of: " alert ").map { String(text[$0.upperBound...]) },
            sawHeadlessAnswer: text.contains("HTTP/0.9"))
    }

    /// What TLS agreed upon; only while a connection is in use.
    var tls: (version: Int, suite: Int) {
        owner.check()
        var version: Int32 = 0
        var suite: Int32 = 0
        ccurl_get_tls(easy, &version, &suite)
        return (Int(version), Int(suite))
    }

    /// What a proxy that refused to connect asks for.
    var proxySchemes: [EngineCredential.Scheme] {
        let available = long(CURLINFO_PROXYAUTH_AVAIL)
        return [.digest, .basic].filter {
            EngineCredential(user: "", password: "", scheme: $0).mask & available != 0
        }
    }

    var metrics: EngineMetrics {
        var metrics = EngineMetrics()
        metrics.nameLookup = seconds(CURLINFO_NAMELOOKUP_TIME_T)
        metrics.connect = seconds(CURLINFO_CONNECT_TIME_T)
        metrics.appConnect = seconds(CURLINFO_APPCONNECT_TIME_T)
        metrics.preTransfer = seconds(CURLINFO_PRETRANSFER_TIME_T)
        metrics.startTransfer = seconds(CURLINFO_STARTTRANSFER_TIME_T)
        metrics.redirect = seconds(CURLINFO_REDIRECT_TIME_T)
        metrics.total = seconds(CURLINFO_TOTAL_TIME_T)
        metrics.redirectCount = long(CURLINFO_REDIRECT_COUNT)
        metrics.bytesReceived = offset(CURLINFO_SIZE_DOWNLOAD_T)
        metrics.bytesSent = offset(CURLINFO_SIZE_UPLOAD_T)
        metrics.requestHeaderBytes = Int64(long(CURLINFO_REQUEST_SIZE))
        metrics.responseHeaderBytes = Int64(long(CURLINFO_HEADER_SIZE))
        metrics.localAddress = string(CURLINFO_LOCAL_IP)
        metrics.localPort = long(CURLINFO_LOCAL_PORT)
        metrics.remoteAddress = string(CURLINFO_PRIMARY_IP)
        metrics.remotePort = long(CURLINFO_PRIMARY_PORT)
        metrics.connections = long(CURLINFO_NUM_CONNECTS)
        metrics.reusedConnection = metrics.connections == 0 && metrics.remotePort != 0
        metrics.protocolName = protocolName
        return metrics
    }

    private var protocolName: String? {
        switch long(CURLINFO_HTTP_VERSION) {
        case CURL_HTTP_VERSION_1_0: "http/1.0"
        case CURL_HTTP_VERSION_1_1: "http/1.1"
        case CURL_HTTP_VERSION_2_0: "h2"
        case CURL_HTTP_VERSION_3: "h3"
        default: nil
        }
    }

    private func long(_ info: CURLINFO) -> Int {
        owner.check()
        var value = 0
        return ccurl_get_long(easy, info, &value) == CURLE_OK ? value : 0
    }

    private func offset(_ info: CURLINFO) -> Int64 {
        owner.check()
        var value = curl_off_t(0)
        return ccurl_get_offset(easy, info, &value) == CURLE_OK ? Int64(value) : 0
    }

    private func seconds(_ info: CURLINFO) -> Double { Double(offset(info)) / 1e6 }

    private func string(_ info: CURLINFO) -> String? {
        owner.check()
        var value: UnsafePointer<CChar>?
        guard ccurl_get_string(easy, info, &value) == CURLE_OK, let value, value.pointee != 0 else {
            return nil
        }
        return String(cString: value)
    }
}
