// Where an answer's body comes from, piece by piece, as fast as it is asked for.
import Foundation

protocol BodySource: AnyObject, Sendable {
    /// Gives the next piece, or nil at the body's end, on a thread of its own. One call at a time, and none
    /// before the answer's head is known.
    func next(_ take: @escaping @Sendable (Data?) -> Void)

    /// What is left is not wanted. Any thread; calling it again does nothing.
    func close()
}
