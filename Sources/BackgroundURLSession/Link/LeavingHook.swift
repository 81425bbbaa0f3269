// When the process calls `exit`, waits, bounded, until the service has answered what it was told, so that
// `resume(); exit(0)` loses nothing even while the service is still starting. Runs on the exiting thread.
import Foundation

enum LeavingHook {
    /// Seconds that leaving may take at most.
    private static let patience: TimeInterval = 2

    private struct Weak: @unchecked Sendable {
        weak var link: ServiceLink?
    }

    private static let links = Guarded<[Weak]>([])
    private static let installed: Bool = {
        atexit { LeavingHook.wait() } == 0
    }()

    static func watch(_ link: ServiceLink) {
        _ = installed
        links.with { links in
            links.removeAll { $0.link == nil }
            links.append(Weak(link: link))
        }
    }

    private static func wait() {
        let deadline = Date(timeIntervalSinceNow: patience)
        for link in links.with({ $0 }) { link.link?.waitForAnswers(until: deadline) }
    }
}
