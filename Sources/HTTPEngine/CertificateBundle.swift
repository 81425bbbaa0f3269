// The certificates to trust, when some are added to those that are trusted anyway: libcurl takes one bundle.
// Lives on curl's thread.
import CCurl
import Foundation

struct CertificateBundle {
    let bytes: Data

    /// nil when the added file cannot be read: nothing is added then, and a server that needs it is refused.
    /// - Parameter file: what is trusted anyway; nil is the system's.
    init?(_ file: String?, adding added: String) {
        guard let more = FileManager.default.contents(atPath: added) else { return nil }
        let base = (file ?? Self.systemFile).flatMap { FileManager.default.contents(atPath: $0) }
        bytes = (base ?? Data()) + Data("\n".utf8) + more
    }

    private static var systemFile: String? {
        ccurl_default_ca_file().map { String(cString: $0) }
    }
}
