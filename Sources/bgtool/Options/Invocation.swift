// What a command line asks of bgtool, as values that are known to be valid.
// It reads words only; files, sessions and the service come after it.

enum Invocation: Sendable {
    case start(StartOptions)
    case resume(ResumeOptions)
    case status(StatusOptions)
    case upload(UploadOptions)
    case cancel(CancelOptions)
    case forceQuit(ForceQuitOptions)
    case sessions(SessionsOptions)
    case service(ServiceOptions)
    /// Help or the version: text for standard output, and nothing else to do.
    case show(String)

    /// `words` are the command line's without the program's name.
    static func read(_ words: [String], version: String) -> Result<Invocation, UsageError> {
        do throws(UsageError) {
            let root = Mode.root(version: version)
            let parsed = try ArgumentParser(root: root).parse(words).get()
            return .success(try Invocation(parsed, version: version))
        } catch {
            return .failure(error)
        }
    }

    private init(_ parsed: ParsedArguments, version: String) throws(UsageError) {
        let mode = Mode.allCases.first { $0.spec.name == parsed.path.descent.first?.name }
        switch (parsed.request, mode) {
        case (.version, _): self = .show(version)
        case (.help, _), (.run, nil): self = .show(HelpText(path: parsed.path).description)
        case (.run, let mode?): self = try Invocation(parsed, mode)
        }
    }

    private init(_ parsed: ParsedArguments, _ mode: Mode) throws(UsageError) {
        switch mode {
        case .start: self = .start(try StartOptions(parsed))
        case .resume: self = .resume(try ResumeOptions(parsed))
        case .status: self = .status(try StatusOptions(parsed))
        case .upload: self = .upload(try UploadOptions(parsed))
        case .cancel: self = .cancel(try CancelOptions(parsed))
        case .forceQuit: self = .forceQuit(try ForceQuitOptions(parsed))
        case .sessions: self = .sessions(SessionsOptions(parsed))
        case .service: self = .service(try ServiceOptions(parsed))
        }
    }
}
