// Runs what a person asked for with --on-finish, once the file is in place. It is noted as started before it is,
// so that a wish's command is never run twice, whatever ends this process; one that cannot be started is put
// back for the next try.
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
            guard let command = try take(name) else { return }
            let pid = try start(command, of: name, path: path)
            CrashPoint.afterCommand.reached()
            Output.tell(
                "started \(command.arguments[0]) as process \(pid); see \(BackgroundService.launchLog)")
        } catch {
            Output.complain("The command for \(name.quoted) could not be run: \(error)")
        }
    }

    /// The wish's command, which no other process gets from here on.
    private func take(_ name: String) throws(WishStoreError) -> FinishCommand? {
        var command: FinishCommand?
        try book.store.update(session: book.session, name: name) {
            command = $0.onFinish
            $0.onFinish = nil
        }
        return command
    }

    private func start(_ command: FinishCommand, of name: String, path: String) throws -> Int32 {
        do {
            return try command.start(
                additions: ["BGTOOL_FILE": path, "BGTOOL_NAME": name],
                // It descends from a wake, if this is one; it is not the woken program.
                without: ["URLSESSION_IDENTIFIER"], log: BackgroundService.launchLog)
        } catch {
            // Unless somebody has given it another one meanwhile.
            try book.store.update(session: book.session, name: name) { $0.onFinish = $0.onFinish ?? command }
            throw error
        }
    }
}
