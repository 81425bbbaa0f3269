// bgtool: a person's window on background transfers. Reads the command line, runs one mode, exits.
import Foundation

signal(SIGPIPE, SIG_DFL)

switch Invocation.read(Array(CommandLine.arguments.dropFirst()), version: Version.current) {
case .failure(let error):
    Output.complain(error.description)
    exit(ExitStatus.usage)
case .success(let invocation):
    do {
        exit(try await Command.run(invocation))
    } catch {
        let failure = CommandFailure(error)
        Output.complain("Error: \(failure.message)")
        exit(failure.status)
    }
}
