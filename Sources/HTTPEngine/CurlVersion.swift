// Which libcurl this process runs with. Any thread.
import CCurl
import Foundation

enum CurlVersion {
    /// Such as `libcurl/7.88.1 OpenSSL/3.0.19 zlib/1.2.13`.
    static var text: String { String(cString: curl_version()) }
}
