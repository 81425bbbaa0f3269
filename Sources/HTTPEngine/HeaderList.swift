// libcurl's list of header lines. libcurl keeps a pointer, so the list lives as long as its transfer.
// Lives on curl's thread.
import CCurl
import Foundation

final class HeaderList {
    private(set) var first: UnsafeMutablePointer<curl_slist>?

    init(_ headers: [EngineHeader], suppressing names: [String] = []) {
        for header in headers {
            // A bare "Name:" would mean "leave it out"; "Name;" sends it empty.
            let line = header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)"
            first = curl_slist_append(first, line)
        }
        for name in names where !headers.contains(where: { $0.name.lowercased() == name.lowercased() }) {
            first = curl_slist_append(first, "\(name):")
        }
    }

    deinit { curl_slist_free_all(first) }
}
