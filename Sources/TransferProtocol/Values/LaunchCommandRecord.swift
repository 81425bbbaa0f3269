// How a session's owner is started again when its tasks have ended. Captured by the client when the session
// is made; the service adds only what the environment of a visit has.
import Foundation

/// A program, and everything it is started with.
public struct LaunchCommandRecord: Codable, Sendable, Equatable {
    /// The executable's absolute path first.
    public var arguments: [String]
    public var folder: String
    public var environment: [String: String]
    /// The registering process's file mode creation mask: the service's own is for its own files.
    public var mask: Int?

    public init(arguments: [String], folder: String, environment: [String: String], mask: Int? = nil) {
        self.arguments = arguments
        self.folder = folder
        self.environment = environment
        self.mask = mask
    }
}
