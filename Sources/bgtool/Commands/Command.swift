// From a valid command line to the mode that carries it out: a table of contents.

enum Command {
    /// - Returns: the exit status.
    static func run(_ invocation: Invocation) throws -> Int32 {
        switch invocation {
        case .start(let options): try StartCommand(options: options).run()
        case .resume(let options): try Waiting.until { try await ResumeCommand(options: options).run() }
        case .status(let options): try StatusCommand(options: options).run()
        case .upload(let options): try UploadCommand(options: options).run()
        case .cancel(let options): try Waiting.until { try await CancelCommand(options: options).run() }
        case .forceQuit(let options): try ForceQuitCommand(options: options).run()
        case .sessions(let options): try SessionsCommand(options: options).run()
        case .service(let options): try ServiceCommand(options: options).run()
        case .show(let text): Output.show(text)
        }
    }
}

enum Version {
    static let current = "0.1.0"
}
