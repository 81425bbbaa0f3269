// bgtool's modes: one word in the command line, one case here, one struct of
// options. A table of contents; it decides nothing.

enum Mode: CaseIterable {
    case start
    case resume
    case status
    case upload
    case cancel
    case forceQuit
    case sessions
    case service

    var spec: CommandSpec {
        switch self {
        case .start: StartOptions.spec
        case .resume: ResumeOptions.spec
        case .status: StatusOptions.spec
        case .upload: UploadOptions.spec
        case .cancel: CancelOptions.spec
        case .forceQuit: ForceQuitOptions.spec
        case .sessions: SessionsOptions.spec
        case .service: ServiceOptions.spec
        }
    }

    static func root(version: String) -> CommandSpec {
        CommandSpec(
            name: "bgtool",
            overview: "Transfers that outlive the program that started them.",
            example: "bgtool start https://example.com/book.m4b && bgtool resume",
            subcommands: allCases.map(\.spec),
            version: version)
    }
}
