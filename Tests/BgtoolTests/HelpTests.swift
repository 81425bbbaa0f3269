// What people read when they ask for help.

import Testing

@testable import bgtool

struct HelpTests {
    func show(_ words: String...) throws -> String {
        guard case .show(let text) = try Invocation.read(words, version: "0.1.0").get() else {
            Issue.record("\(words) is not answered by a text")
            return ""
        }
        return text
    }

    @Test func `the root lists every mode`() throws {
        #expect(
            try show("--help") == """
                OVERVIEW: Transfers that outlive the program that started them.

                Example:
                  bgtool start https://example.com/book.m4b && bgtool resume

                USAGE: bgtool <subcommand>

                OPTIONS:
                  --version               Show the version.
                  -h, --help              Show help information.

                SUBCOMMANDS:
                  start                   Start downloads and leave them to the service.
                  resume                  Pick a session's transfers up again and put finished
                                          files in place.
                  status                  Show transfers, a line each, without claiming them.
                  upload                  Start an upload and leave it to the service.
                  cancel                  End transfers, or pause them with --keep.
                  force-quit              End a client on purpose: cancel all its transfers, and
                                          do not wake it.
                  sessions                List the sessions the service knows, also those
                                          without an owner.
                  service                 Start, stop or look at the transfer service.

                  See 'bgtool help <subcommand>' for detailed help.
                """)
    }

    @Test func `a mode's help shows arguments and options`() throws {
        #expect(
            try show("help", "cancel") == """
                OVERVIEW: End transfers, or pause them with --keep.

                Example:
                  bgtool cancel book.m4b --keep

                USAGE: bgtool cancel <task> ... [--session <id>] [--keep] [--discard]

                ARGUMENTS:
                  <task>                  A transfer's name or identifier.

                OPTIONS:
                  --session <id>          The background session's identifier. (default:
                                          com.example.library.relaunch)
                  --keep                  Keep what has arrived; the next start goes on from
                                          there.
                  --discard               Remove also a result that waits for 'bgtool resume',
                                          with its file.
                  -h, --help              Show help information.
                """)
    }

    @Test func `every help has one example that parses, and fits in 80 columns`() throws {
        let service = ServiceOptions.spec.subcommands.map { ["service", $0.name] }
        for words in Mode.allCases.map({ [$0.spec.name] }) + service {
            let help = try Invocation.read(["help"] + words, version: "0").get()
            guard case .show(let text) = help else { continue }
            #expect(text.components(separatedBy: "Example:\n  bgtool ").count == 2)
            #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(text)")
        }
        for mode in Mode.allCases {
            let words = mode.spec.example.split(separator: " ").dropFirst().map(String.init)
            #expect(throws: Never.self) { try Invocation.read(words, version: "0").get() }
        }
    }

    @Test func `the version is printed as it is`() throws {
        #expect(try show("--version") == "0.1.0")
    }

    @Test func `service alone explains itself`() throws {
        #expect(try show("service").contains("See 'bgtool help service <subcommand>'"))
    }
}
