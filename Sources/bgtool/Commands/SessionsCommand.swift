// `bgtool sessions`: who has sessions with the service, and what they left without an owner.
import BackgroundURLSession
import Foundation

struct SessionsCommand {
    let options: SessionsOptions

    func run() throws -> Int32 {
        // A session that holds nothing and that nobody owns is only a number that goes on rising.
        let sessions = try BackgroundService.sessions().filter {
            $0.pending > 0 || $0.undelivered > 0 || $0.owner != nil
        }
        if options.printsJSON {
            Output.write(try JSONText.of(sessions) + "\n")
        } else {
            for session in sessions { Output.line(Self.text(session)) }
        }
        return ExitStatus.success
    }

    private static func text(_ session: BackgroundSessionStatus) -> String {
        "\(session.identifier) client=\(session.client) pending=\(session.pending) "
            + "undelivered=\(session.undelivered) owner=\(session.owner.map(String.init) ?? "none")"
    }
}
