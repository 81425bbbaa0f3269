// The numbers by which the environment sets the service, all of them, each with the range it takes.
import Foundation

public enum ServiceSettings {
    /// How long the service stays when nobody needs it, in seconds.
    static let idleSeconds = EnvironmentNumber("URLSESSIOND_IDLE_SECONDS", in: 0...longest, otherwise: 60.0)
    /// What the partial files of paused and failed downloads may hold, in bytes.
    static let partialBytes = EnvironmentNumber(
        "URLSESSIOND_PARTIAL_BYTES", in: 0...Int64.max, otherwise: 10 << 30)
    /// What one client may hold, results that wait for an owner included.
    static let clientTasks = EnvironmentNumber(
        "URLSESSIOND_CLIENT_TASKS", in: 0...Int.max, otherwise: 100_000)
    static let clientBytes = EnvironmentNumber(
        "URLSESSIOND_CLIENT_BYTES", in: 0...Int64.max, otherwise: 1 << 40)
    /// For tests and for impatient people: the delay after the first wake, the longest one, and the time until
    /// a visit must have been closed, in seconds.
    static let wakeSeconds = EnvironmentNumber("URLSESSIOND_WAKE_SECONDS", in: 0...longest, otherwise: 60.0)
    static let wakeCapSeconds = EnvironmentNumber(
        "URLSESSIOND_WAKE_CAP_SECONDS", in: 0...longest, otherwise: 86_400.0)
    static let visitSeconds = EnvironmentNumber("URLSESSIOND_VISIT_SECONDS", in: 0...longest, otherwise: 30.0)

    /// Some thirty years: what is added to a date is one still.
    private static let longest = 1e9

    /// A sentence for each of them that the environment sets to something else than a number it takes.
    public static func complaints(_ environment: [String: String]) -> [String] {
        [
            idleSeconds.complaint(environment), partialBytes.complaint(environment),
            clientTasks.complaint(environment), clientBytes.complaint(environment),
            wakeSeconds.complaint(environment), wakeCapSeconds.complaint(environment),
            visitSeconds.complaint(environment),
        ].compactMap(\.self)
    }
}
