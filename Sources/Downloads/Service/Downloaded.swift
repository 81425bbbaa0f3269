// What a caller gets, and the ticket by which it cancels. Values.

import Foundation

/// A wish that was fulfilled.
public enum Downloaded: Sendable, Equatable {
    /// The file is in place, there.
    case file(String)
    /// The wish named no place.
    case bytes(Data)
}

/// A result that no caller of this process waits for.
public struct UnclaimedDownload: Sendable {
    /// The task's `taskDescription`; nil when it has none.
    public let name: String?
    /// What was asked for; nil when nobody has written that down.
    public let request: DownloadRequest?
    public let result: Result<Downloaded, DownloadError>
}

/// One caller's share in a wish.
public struct DownloadToken: Sendable, Hashable {
    let number: Int
}
