// The parser by itself, against a small command of its own.

import Testing

@testable import bgtool

struct ParserTests {
    static let output = OptionSpec.value("output", short: "o", "file", help: "Where to.")
    static let wait = OptionSpec.value("wait", "seconds", help: "How long.")
    static let header = OptionSpec.value(
        "header", short: "H", "header", repeats: true,
        help: "A field.")
    static let force = OptionSpec.flag("force", short: "f", help: "Replace.")
    static let url = ArgumentSpec("url", .optional, help: "What.")
    static let task = ArgumentSpec("task", .oneOrMore, help: "Which.")

    static let root = CommandSpec(
        name: "tool", overview: "A tool.", example: "tool get x",
        subcommands: [
            CommandSpec(
                name: "get", overview: "Get.", example: "tool get x", arguments: [url],
                options: [output, wait, header, force]),
            CommandSpec(name: "end", overview: "End.", example: "tool end x", arguments: [task]),
            CommandSpec(
                name: "host", overview: "Host.", example: "tool host stop",
                subcommands: [CommandSpec(name: "stop", overview: "Stop.", example: "tool host stop")]),
        ], version: "1.2.3")

    func parse(_ words: String...) throws -> ParsedArguments {
        try ArgumentParser(root: Self.root).parse(words).get()
    }

    func message(_ words: String...) -> String? {
        switch ArgumentParser(root: Self.root).parse(words) {
        case .success: nil
        case .failure(let error): error.message
        }
    }

    @Test(arguments: [
        ["get", "x", "--output", "f"], ["get", "--output", "f", "x"], ["get", "--output=f", "x"],
        ["get", "-o", "f", "x"], ["get", "x", "-of"], ["get", "-o=f", "--", "x"],
    ])
    func `an option may stand before or after arguments, in every spelling`(words: [String]) throws {
        let parsed = try ArgumentParser(root: Self.root).parse(words).get()
        #expect(parsed.options == ["output": ["f"]])
        #expect(parsed.arguments == ["url": ["x"]])
    }

    @Test func `a repeated option keeps every value in order`() throws {
        let parsed = try parse("get", "-H", "A: 1", "--header", "B: 2", "-HC: 3")
        #expect(parsed.options["header"] == ["A: 1", "B: 2", "C: 3"])
    }

    @Test func `an attached value may be empty or contain equal signs and dashes`() throws {
        #expect(try parse("get", "--output=").options["output"] == [""])
        #expect(try parse("get", "--output=--a=b").options["output"] == ["--a=b"])
    }

    @Test func `a flag may be joined with an option that takes a value`() throws {
        let parsed = try parse("get", "-fo", "x")
        #expect(parsed.has(Self.force))
        #expect(parsed.options["output"] == ["x"])
    }

    @Test func `everything after the terminator is an argument`() throws {
        let parsed = try parse("end", "--", "--help", "-x", "--")
        #expect(parsed.arguments["task"] == ["--help", "-x", "--"])
    }

    @Test func `a negative number is a value and an argument`() throws {
        #expect(try parse("get", "--wait", "-1.5").options["wait"] == ["-1.5"])
        #expect(try parse("get", "-5").arguments["url"] == ["-5"])
    }

    @Test func `a single dash is an argument`() throws {
        #expect(try parse("get", "-").arguments["url"] == ["-"])
    }

    @Test func `a misspelt option gets a suggestion`() {
        #expect(message("get", "--ouptut=f") == "Unknown option '--ouptut'. Did you mean '--output'?")
        #expect(message("get", "--forec=1") == "Unknown option '--forec'. Did you mean '--force'?")
        #expect(message("get", "-output", "f") == "Unknown option '-output'. Did you mean '--output'?")
        #expect(message("get", "--zzzzzz") == "Unknown option '--zzzzzz'")
        #expect(message("get", "-z") == "Unknown option '-z'")
    }

    @Test func `a missing value names the option`() {
        #expect(message("get", "--wait") == "Missing value for '--wait <seconds>'")
        #expect(message("get", "--wait", "--force") == "Missing value for '--wait <seconds>'")
        #expect(message("get", "-o", "--", "x") == "Missing value for '--output <file>'")
    }

    @Test func `a flag refuses a value`() {
        #expect(
            message("get", "--force=yes")
                == "The option '--force' does not take any value, but 'yes' was specified.")
    }

    @Test func `too many and too few arguments are named`() {
        #expect(message("get", "a", "b") == "Unexpected argument 'b'")
        #expect(message("get", "a", "b", "c") == "2 unexpected arguments: 'b', 'c'")
        #expect(message("end") == "Missing expected argument '<task> ...'")
    }

    @Test func `a misspelt subcommand gets a suggestion`() {
        #expect(message("gte") == "Unknown subcommand 'gte'. Did you mean 'get'?")
        #expect(message("host", "sotp") == "Unknown subcommand 'sotp'. Did you mean 'stop'?")
        #expect(message("help", "gett") == "Unknown subcommand 'gett'. Did you mean 'get'?")
        #expect(message("elephant") == "Unknown subcommand 'elephant'")
    }

    @Test(arguments: [
        ["--help"], ["-h"], [], ["help"], ["help", "get"], ["get", "--nonsense", "-h"],
        ["host"], ["host", "--help"], ["help", "host", "stop"], ["host", "stop", "--help"],
    ])
    func `help can be asked for everywhere`(words: [String]) throws {
        let parsed = try ArgumentParser(root: Self.root).parse(words).get()
        #expect(parsed.request == .help)
        let named = words.filter { !$0.hasPrefix("-") && $0 != "help" }
        #expect(parsed.path.names == ["tool"] + named)
    }

    @Test func `the version is asked for before a subcommand`() throws {
        #expect(try parse("--version").request == .version)
        #expect(message("--verison") == "Unknown option '--verison'. Did you mean '--version'?")
        #expect(message("get", "--version") == "Unknown option '--version'")
    }

    @Test func `an error shows message, usage and where help is`() {
        guard case .failure(let error) = ArgumentParser(root: Self.root).parse(["get", "--nope"]) else {
            Issue.record("an unknown option was accepted")
            return
        }
        #expect(
            error.description == """
                Error: Unknown option '--nope'
                Usage: tool get [<url>] [--output <file>] [--wait <seconds>] [--header <header> ...] [--force]
                  See 'tool get --help' for more information.
                """)
    }

    @Test func `an error does not pass control characters on to the terminal`() {
        #expect(message("\u{1B}[2J") == "Unknown subcommand '\\u{1B}[2J'")
    }

    @Test(arguments: [("start", "strat", 1), ("", "abc", 3), ("kitten", "sitting", 3), ("a", "a", 0)])
    func `distance counts edits and swaps`(first: String, second: String, distance: Int) {
        #expect(Suggestion.distance(first, second) == distance)
    }
}
