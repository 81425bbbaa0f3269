// `connectionProxyDictionary` in the words of the protocol. Pure.
import Foundation
import TransferProtocol

extension ProxyRecord {
    /// What the dictionary says, and nothing else: without an entry there is no proxy, whatever the
    /// environment says. Keys are CFNetwork's: `HTTPEnable`, `HTTPProxy`, `HTTPPort`, the same for `HTTPS` and
    /// `SOCKS`, `ExceptionsList`, and `kCFProxyUsernameKey`, `kCFProxyPasswordKey` for all of them.
    init(_ dictionary: [AnyHashable: Any]) {
        self.init()
        func text(_ key: String) -> String? { dictionary[key] as? String }
        let user = text("kCFProxyUsernameKey") ?? text("HTTPUser")
        let password = text("kCFProxyPasswordKey") ?? text("HTTPPassword")
        func proxy(_ name: String, _ scheme: String, _ port: Int) -> String? {
            guard Self.isOn(dictionary[name + "Enable"]), let host = text(name + "Proxy"), !host.isEmpty
            else {
                return nil
            }
            var parts = URLComponents()
            parts.scheme = scheme
            parts.host = host
            parts.port = Self.number(dictionary[name + "Port"]) ?? port
            parts.percentEncodedUser = user.flatMap(Self.encoded)
            parts.percentEncodedPassword = user == nil ? nil : password.flatMap(Self.encoded)
            return parts.string
        }
        http = proxy("HTTP", "http", 80)
        // The proxy itself is spoken to in the clear; what goes through is not.
        https = proxy("HTTPS", "http", 443)
        all = proxy("SOCKS", "socks5h", 1080)
        exceptions = (dictionary["ExceptionsList"] as? [String])?
            .map { $0.hasPrefix("*.") ? String($0.dropFirst(2)) : $0 }
            .joined(separator: ",")
    }

    /// A colon would end the name, whatever URLComponents thinks.
    private static func encoded(_ text: String) -> String? {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
    }

    private static func isOn(_ value: Any?) -> Bool {
        (value as? Bool) ?? ((number(value) ?? 0) != 0)
    }

    private static func number(_ value: Any?) -> Int? {
        (value as? Int) ?? (value as? NSNumber)?.intValue ?? (value as? String).flatMap(Int.init)
    }
}
