// The counterpart of the app delegate's `application(_:handleEventsForBackgroundURLSession:completionHandler:)`,
// for programs that have no app delegate: Linux only.
import Dispatch
import Foundation

/// What a program does when the transfer service has started it because a session's tasks have ended or one of
/// them has a challenge.
///
/// A session says how it is started by `URLSessionConfiguration.launchCommand`. Early in `main`:
///
///     BackgroundLaunch.onEvents { identifier, completion in
///         // Make the session of that identifier anew. Its events come, then
///         // urlSessionDidFinishEvents(forBackgroundURLSession:), which calls `completion`.
///     }
///     if BackgroundLaunch.runVisit() { exit(0) }
///
/// A challenge comes to the session's delegate like any other; `urlSessionDidFinishEvents` comes when it has been
/// answered. Whoever cannot answer it without the person calls `completion` at once; the task goes on waiting.
///
/// A visit that is not closed within 30 s is ended, noted, and makes the next ones rarer. So does work that a
/// visit queues: it is discretionary, and begins after the delay that the next wake has. The person starting
/// the program takes that back.
public enum BackgroundLaunch {
    private static let visit = LaunchVisit(access: .current)

    /// The session whose events wait; nil when this process was not started by the service.
    public static var identifier: String? { visit?.identifier }

    /// Registers what is called, once and on the main queue, if this process was started for a session's
    /// events. A second handler is warned about and never called.
    /// - Parameter handler: gets the session's identifier, and what closes the visit; that is to be called on
    ///   the main queue (elsewhere it works, and warns; a second call is warned about and does nothing).
    public static func onEvents(
        _ handler:
            @escaping @Sendable (_ identifier: String, _ completion: @escaping @Sendable () -> Void) -> Void
    ) {
        guard let visit = claim() else { return }
        DispatchQueue.main.async { handler(visit.identifier) { visit.complete() } }
    }

    /// As above, for a handler that has dealt with everything when it returns.
    public static func onEvents(_ handler: @escaping @Sendable (_ identifier: String) async -> Void) {
        guard let visit = claim() else { return }
        DispatchQueue.main.async {
            Task {
                await handler(visit.identifier)
                visit.close()
            }
        }
    }

    /// Closes the visit of this process, for programs that have no handler. Does nothing in others.
    public static func closeVisit() { visit?.close() }

    /// Runs the main queue until the visit has been closed: for programs that have no run loop. Main thread.
    /// - Returns: false, at once, when this process was not started by the service.
    public static func runVisit() -> Bool {
        guard let visit = ready() else { return false }
        let isOver = Guarded(false)
        visit.whenClosed {
            isOver.with { $0 = true }
            // Something to do for a run loop that sleeps.
            DispatchQueue.main.async {}
        }
        // A run loop without any timer does not wait.
        let stay = Timer(timeInterval: 3600, repeats: true) { _ in }
        RunLoop.main.add(stay, forMode: .default)
        while !isOver.with({ $0 }) {
            _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 1))
        }
        stay.invalidate()
        return true
    }

    /// As `runVisit()`, for programs whose `main` is asynchronous.
    public static func untilClosed() async -> Bool {
        guard let visit = ready() else { return false }
        await withCheckedContinuation { done in visit.whenClosed { done.resume() } }
        return true
    }

    /// The visit, if somebody will close it.
    private static func ready() -> LaunchVisit? {
        guard let visit else { return nil }
        if !visit.hasHandler {
            Complaint.print(
                "This process was started for the events of session \(visit.identifier) and has no handler for "
                    + "them: call BackgroundLaunch.onEvents first.")
            return nil
        }
        return visit
    }

    private static func claim() -> LaunchVisit? {
        guard let visit else { return nil }
        guard visit.claimHandler() else {
            Complaint.print("BackgroundLaunch.onEvents was called twice; only the first handler is called.")
            return nil
        }
        return visit
    }
}
