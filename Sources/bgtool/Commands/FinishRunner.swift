// Runs what a person asked for with --on-finish, once the file is in place. It is noted as started before
// anything else can end this process, so that a wish's command is not run again and again.
import BackgroundURLSession
import Downloads
import Foundation

struct FinishRunner {
    let book: WishBook

    /// Any wish of this session that waits to run something: then the service is to start this program.
    var isNeeded: Bool { (try? book.store.hasFinishCommand(session: book.session)) ?? false }

    /// How the service starts this program for a session.
    static func launchCommand(session: String) -> LaunchCommand {
        // Everything it needs is written down with absolute paths; the folder of today may be gone by then.
        .thisProgram(["resume", "--session", session], folder: "/")
    }

    /// The wish's file is at `path`.
    func run(_ name: String?, path: String) {
        guard let name else { return }
        do {
            guard let command = try book.store.wish(session: book.session, name: name)?.onFinish else {
                return
            }
            let pid = try command.start(
                additions: ["BGTOOL_FILE": path, "BGTOOL_NAME": name],
                // It descends from a wake, if this is one; it is not the woken program.
                without: ["URLSESSION_IDENTIFIER"], log: BackgroundService.launchLog)
            try book.store.update(session: book.session, name: name) { $0.onFinish = nil }
            Output.tell(
                "started \(command.arguments[0]) as process \(pid); see \(BackgroundService.launchLog)")
        } catch {
            Output.complain("The command for \(name.quoted) could not be run: \(error)")
        }
    }
}
