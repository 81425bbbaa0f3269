// bgtool: a person's window on background transfers. Reads the command line, runs one mode, exits. No `await`
// here: an asynchronous main starts threads that most modes have no use for, and they are there before it.
import Foundation

signal(SIGPIPE, SIG_DFL)
// A file-size limit is said by the write that meets it.
signal(SIGXFSZ, SIG_IGN)

switch Invocation.read(Array(CommandLine.arguments.dropFirst()), version: Version.current) {
case .failure(let error):
    Output.complain(error.description)
    exit(ExitStatus.usage)
case .success(let invocation):
    do {
        exit(Output.status(try Command.run(invocation)))
    } catch {
        let failure = CommandFailure(error)
        Output.complain("Error: \(failure.message)")
        exit(failure.status)
    }
}
