// A command's help as text, in swift-argument-parser's layout: 80 columns, the
// descriptions from column 26. It prints nothing.

struct HelpText: CustomStringConvertible {
    private static let width = 80
    private static let column = 26

    let path: CommandPath

    private var command: CommandSpec { path.command }

    var description: String {
        ([overview, usage] + sections + footer).joined(separator: "\n\n")
    }

    private var overview: String {
        let head = Self.wrap("OVERVIEW: \(command.overview)")
        let paragraphs = command.discussion.map { Self.wrap($0) }
        return ([head] + paragraphs + ["Example:\n  \(command.example)"]).joined(separator: "\n\n")
    }

    private var usage: String {
        "USAGE: " + Self.wrap(path.synopsis, indent: 7, width: Self.width - 7)
    }

    private var sections: [String] {
        let arguments = command.arguments.map { Self.row($0.display, $0.help) }
        let options = command.allOptions.map { Self.row($0.label, $0.help) }
        let subcommands = command.subcommands.map { Self.row($0.name, $0.overview) }
        return [("ARGUMENTS", arguments), ("OPTIONS", options), ("SUBCOMMANDS", subcommands)]
            .filter { !$0.1.isEmpty }
            .map { "\($0.0):\n" + $0.1.joined(separator: "\n") }
    }

    private var footer: [String] {
        guard !command.subcommands.isEmpty else { return [] }
        let names = [path.root.name, "help"] + path.names.dropFirst() + ["<subcommand>"]
        return ["  See '\(names.joined(separator: " "))' for detailed help."]
    }

    /// A label too long for its column has the line to itself.
    private static func row(_ label: String, _ help: String) -> String {
        let text = wrap(help, indent: column, width: width)
        let start = "  \(label)"
        guard start.count < column else {
            return start + "\n" + String(repeating: " ", count: column) + text
        }
        return start + String(repeating: " ", count: column - start.count) + text
    }

    private static func wrap(_ text: String, indent: Int = 0, width: Int = width) -> String {
        wrap(text.split(separator: " ").map(String.init), indent: indent, width: width - indent)
    }

    /// Fills lines with `pieces`, none broken; lines after the first are indented.
    private static func wrap(_ pieces: [String], indent: Int, width: Int) -> String {
        var lines: [String] = []
        for piece in pieces {
            if let last = lines.last, last.count + 1 + piece.count <= width {
                lines[lines.count - 1] = "\(last) \(piece)"
            } else {
                lines.append(piece)
            }
        }
        return lines.joined(separator: "\n" + String(repeating: " ", count: indent))
    }
}
