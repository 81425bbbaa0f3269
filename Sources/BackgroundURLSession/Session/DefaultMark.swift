// How a delegate's missing methods are told from those that it has: the defaults in this module's protocol
// extensions set the mark of whoever called. It travels with the call into the defaults' own tasks, and also into
// whatever a method that somebody wrote calls; so it counts for the delegate it was made for only, and no further
// than the next call of this module.
import Foundation

final class DefaultMark: @unchecked Sendable {
    // Unchecked: guarded.
    private let mark = Guarded(false)
    private let delegate: ObjectIdentifier

    @TaskLocal private static var current: DefaultMark?

    /// - Parameter delegate: who is called; held by whoever watches.
    init(_ delegate: AnyObject) { self.delegate = ObjectIdentifier(delegate) }

    /// Whether the delegate left the method to its default; for a method with a handler or an async one, asked
    /// when it has answered.
    var isSet: Bool { mark.with { $0 } }

    /// For the defaults: nobody wrote this method.
    static func set(by delegate: AnyObject) {
        guard let current, current.delegate == ObjectIdentifier(delegate) else { return }
        current.mark.with { $0 = true }
    }

    func watch<Result>(_ call: () throws -> Result) rethrows -> Result {
        try Self.$current.withValue(self, operation: call)
    }

    /// A call whose defaults are nobody's concern, perhaps from inside a method that is watched.
    static func unwatched<Result>(_ call: () throws -> Result) rethrows -> Result {
        try $current.withValue(nil, operation: call)
    }
}
