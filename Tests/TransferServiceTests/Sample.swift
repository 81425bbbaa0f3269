// Tasks and answers for the tests of this module.
import Foundation
import TransferProtocol
import TransferStore

enum Sample {
    static let token = "6F1B2C3D-0000-4000-8000-000000000001"
    static let url = "http://127.0.0.1:8765/audiobook"
    static let modified = "Wed, 01 Jan 2025 00:00:00 GMT"
    static let date = "Mon, 30 Nov 2026 12:00:00 GMT"

    static func task(_ kind: TaskKind = .download, method: String = "GET") -> TaskRecord {
        TaskRecord(
            session: 1, configuration: 1, identifier: 1, token: token, kind: kind,
            lane: "1 http://127.0.0.1:8765",
            request: RequestRecord(url: url, method: method), created: Date(timeIntervalSince1970: 0))
    }

    static func answer(_ status: Int = 200, _ fields: [String: String] = [:]) -> ResponseRecord {
        ResponseRecord(
            url: url, status: status,
            headers: fields.sorted { $0.key < $1.key }.map { HeaderField($0.key, $0.value) })
    }

    /// An answer whose bytes can be continued: strong tag, ranges, a length.
    static func resumable(_ length: Int64 = 1000) -> ResponseRecord {
        answer(
            200, ["Accept-Ranges": "bytes", "Content-Length": "\(length)", "Date": date, "ETag": "\"v1\""])
    }

    static func held(_ length: Int64 = 1000) -> HeldBody {
        HeldBody(response: resumable(length), total: length)
    }
}
