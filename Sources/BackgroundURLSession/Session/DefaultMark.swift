// How a delegate's missing methods are told from those that it has: the defaults in this module's protocol
// extensions set the mark of whoever called. It travels with the call into the defaults' own tasks.
import Foundation

final class DefaultMark: @unchecked Sendable {
    // Unchecked: guarded.
    private let mark = Guarded(false)

    @TaskLocal private static var current: DefaultMark?

    /// Whether the delegate left the method to its default; for a method with a handler or an async one, asked
    /// when it has answered.
    var isSet: Bool { mark.with { $0 } }

    /// For the defaults: nobody wrote this method.
    static func set() { current?.mark.with { $0 = true } }

    func watch<Result>(_ call: () throws -> Result) rethrows -> Result {
        try Self.$current.withValue(self, operation: call)
    }
}
