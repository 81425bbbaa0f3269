// Whether `urlSessionDidFinishEvents` is still to come. The app was promised it, or not, when its session
// attached; that does not change with the service's lives. A service that died when it had the last
// acknowledgement on disk knows in its next life nothing of an end that is due; another finds waiting what
// came to this process in the life before.

struct EndOfEvents {
    private enum State { case notDue, due, unasked }
    private var state = State.notDue

    /// The session has attached, `again` after losing its service, and so many tasks' events wait.
    /// - Returns: whether the end is to be told now, since the service will not.
    mutating func attached(waiting: Int, again: Bool) -> Bool {
        if again, state == .due {
            guard waiting == 0 else { return false }
            state = .notDue
            return true
        }
        state = waiting == 0 ? .notDue : again ? .unasked : .due
        return false
    }

    /// Nothing comes any more: the service is gone for good, or the session has become invalid.
    /// - Returns: whether the end is to be told now, since nobody else will.
    mutating func lost() -> Bool {
        defer { state = .notDue }
        return state == .due
    }

    /// The service says that there are no more.
    /// - Returns: whether the app is to be told.
    mutating func finished() -> Bool {
        defer { state = .notDue }
        return state != .unasked
    }
}
