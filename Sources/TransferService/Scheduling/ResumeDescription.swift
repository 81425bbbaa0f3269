// Resume data: it describes a partial file that the service keeps; it is not the data. JSON, of which a
// client may read the request (`ResumeDataHead`) and nothing else.
import Foundation
import TransferProtocol
import TransferStore

/// What a new task needs to continue a partial download.
struct ResumeDescription: Codable, Equatable {
    /// Tells our format from Apple's and from anything else.
    static let mark = "background-urlsession-resume-1"

    var format = ResumeDescription.mark
    /// Names the partial file in the store; good for one use.
    var token: String
    var request: RequestRecord
    var held: Held
    var received: Int64
    /// Where the partial file is, for a service that did not keep it itself; and what of it survives a crash of
    /// the machine, under which boot.
    var file: String?
    var syncedOffset: Int64?
    var boot: String?

    /// `HeldBody`, spelled out so that the stored form does not change with it.
    struct Held: Codable, Equatable {
        var response: ResponseRecord
        var total: Int64?
    }

    init(token: String, request: RequestRecord, held: HeldBody, received: Int64) {
        self.token = token
        self.request = request
        self.held = Held(response: held.response, total: held.total)
        self.received = received
    }

    /// Nil when the data is not resume data of this format.
    init?(_ data: Data) {
        guard let decoded = try? JSONDecoder().decode(ResumeDescription.self, from: data),
            decoded.format == Self.mark, decoded.received >= 0, decoded.held.total ?? 0 >= 0
        else { return nil }
        self = decoded
    }

    var encoded: Data? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try? encoder.encode(self)
    }
}
