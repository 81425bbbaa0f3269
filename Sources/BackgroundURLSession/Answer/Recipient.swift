// Whom a task's answer is for. A task made with a completion handler, or by an async call, does not tell the
// delegate of its data, its file or its end.
import Foundation
import FoundationNetworking

enum Recipient: Sendable {
    case delegate
    case data(@Sendable (Data?, URLResponse?, (any Error)?) -> Void)
    /// The file is gone when the handler has returned.
    case file(@Sendable (URL?, URLResponse?, (any Error)?) -> Void)
    case bytes(BytesGate)

    var isDelegate: Bool {
        if case .delegate = self { true } else { false }
    }
}
