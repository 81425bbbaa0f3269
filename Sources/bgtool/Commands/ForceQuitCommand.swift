// `bgtool force-quit`: what swiping an app away is elsewhere. Everything of it is cancelled, and it is not
// woken until somebody starts it again.
import BackgroundURLSession

struct ForceQuitCommand {
    let options: ForceQuitOptions

    func run() throws -> Int32 {
        let client = options.client ?? BackgroundService.clientName
        let outcome = try BackgroundService.forceQuit(client: client, endingProcesses: options.endsProcesses)
        let ended = outcome.endedProcesses.map(String.init).joined(separator: ",")
        Output.line(
            "quit \(client) cancelled=\(outcome.cancelledTasks) ended=\(ended.isEmpty ? "none" : ended)")
        return ExitStatus.success
    }
}
