// What a client may know of resume data: it is JSON, and says which request it continues. The rest is the
// service's own business, and changes without the client's knowledge.
import Foundation

/// The readable part of resume data; other members are ignored.
public struct ResumeDataHead: Codable, Sendable, Equatable {
    /// The original request.
    public var request: RequestRecord

    public init(request: RequestRecord) { self.request = request }

    /// Nil when this is no resume data of the service's.
    public init?(_ resumeData: Data) {
        guard let head = try? JSONRPC.decoder.decode(Self.self, from: resumeData) else { return nil }
        self = head
    }
}
