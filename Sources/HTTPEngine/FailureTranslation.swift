// From libcurl's codes to the engine's kinds. Pure. libcurl's own texts are not used: they hold addresses.
import CCurl
import Foundation

/// What libcurl and the handle say about a transfer that did not end well.
struct CurlVerdict {
    var code: CURLcode
    var osError: Int32 = 0
    /// OpenSSL's verdict on the peer's certificate, an X509_V_ERR value.
    var verifyResult = 0
    /// The status of a proxy's answer to CONNECT, 0 for none.
    var connectStatus = 0
    /// The peer's words when it broke the TLS handshake off, such as `certificate required`.
    var alert: String?
    /// An answer without a status line came: libcurl reports that as an unsupported protocol.
    var sawHeadlessAnswer = false

    var failure: EngineFailure {
        let (kind, message) = meaning
        return EngineFailure(kind, curlCode: Int32(code.rawValue), osError: osError, message: message)
    }

    private var meaning: (EngineFailure.Kind, String) {
        switch code {
        case CURLE_UNSUPPORTED_PROTOCOL where sawHeadlessAnswer:
            (.badResponse, "the server's answer is not HTTP")
        case CURLE_UNSUPPORTED_PROTOCOL: (.unsupportedScheme, "unsupported scheme")
        case CURLE_URL_MALFORMAT: (.badURL, "bad address")
        case CURLE_COULDNT_RESOLVE_HOST: (.cannotResolveHost, "host not found")
        case CURLE_COULDNT_RESOLVE_PROXY: (.cannotResolveProxy, "proxy not found")
        case CURLE_COULDNT_CONNECT: (.cannotConnect, words("cannot connect"))
        case CURLE_PROXY: (.cannotConnect, "the proxy refused the connection")
        case CURLE_RECV_ERROR where connectStatus == 407:
            (.proxyAuthenticationRequired, "the proxy asks for a password")
        case CURLE_RECV_ERROR where connectStatus >= 300:
            (.cannotConnect, "the proxy answered \(connectStatus)")
        case CURLE_RECV_ERROR where alert != nil, CURLE_SEND_ERROR where alert != nil,
            CURLE_SSL_CONNECT_ERROR where alert != nil:
            refusal
        case CURLE_GOT_NOTHING: (.connectionLost, "the server closed the connection without an answer")
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR: (.connectionLost, words("connection lost"))
        case CURLE_PARTIAL_FILE: (.truncated, "the body ended too early")
        case CURLE_OPERATION_TIMEDOUT: (.timedOut, "the connection could not be made in time")
        case CURLE_TOO_MANY_REDIRECTS: (.tooManyRedirects, "too many redirects")
        case CURLE_PEER_FAILED_VERIFICATION: certificate
        case CURLE_SSL_CONNECT_ERROR where osError == ECONNRESET || osError == EPIPE:
            (.connectionLost, words("connection lost"))
        case CURLE_SSL_CONNECT_ERROR: (.tlsFailed, "the TLS handshake failed")
        case CURLE_SSL_CERTPROBLEM:
            (.clientCertificateRejected, "the client certificate, or its key, cannot be read")
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            (.keyNotPinned, "the server's key is not one of those that were pinned")
        case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CRL_BADFILE:
            (.tlsFailed, "the certificates to trust cannot be read")
        case CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED,
            CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_INVALIDCERTSTATUS, CURLE_USE_SSL_FAILED,
            CURLE_SSL_SHUTDOWN_FAILED:
            (.tlsFailed, "TLS failed")
        case CURLE_BAD_CONTENT_ENCODING: (.cannotDecode, "the body cannot be decoded")
        case CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_CHUNK_FAILED,
            CURLE_FILESIZE_EXCEEDED, CURLE_HTTP_RETURNED_ERROR:
            (.badResponse, "the server's answer makes no sense")
        case CURLE_SEND_FAIL_REWIND: (.internal, "the body could not be sent again")
        default: (.internal, "libcurl error \(code.rawValue)")
        }
    }

    /// Numbers are OpenSSL's, from x509_vfy.h. A wrong host name is found by libcurl itself, after
    /// OpenSSL was content and before libcurl notes that: its first value, 1, still stands then.
    private var certificate: (EngineFailure.Kind, String) {
        switch verifyResult {
        case 0, 1, 62: (.certificateWrongHost, "the certificate is for another host")
        case 9: (.certificateNotYetValid, "the certificate is not valid yet")
        case 10: (.certificateExpired, "the certificate has expired")
        default: (.certificateUntrusted, "the certificate is not trusted")
        }
    }

    /// The alert's names are RFC 8446's (§6), in OpenSSL's spelling.
    private var refusal: (EngineFailure.Kind, String) {
        guard let alert else { return (.tlsFailed, "the TLS handshake failed") }
        if alert.contains("certificate required") {
            return (.clientCertificateRequired, "the server asks for a client certificate")
        }
        if [
            "bad certificate", "unknown ca", "certificate expired", "certificate unknown",
            "certificate revoked", "unsupported certificate", "access denied",
        ].contains(where: alert.contains) {
            return (.clientCertificateRejected, "the server does not accept the client certificate")
        }
        return (.tlsFailed, "the TLS handshake failed")
    }

    private func words(_ otherwise: String) -> String {
        osError == 0 ? otherwise : SystemWords.for(osError)
    }
}
