// How a session's owner is started again when nobody is there and everything has ended, or a challenge waits:
// Linux only. A value; what it takes from this process it takes when the session is made.
import Foundation
import TransferProtocol

/// A program that the transfer service starts when a session's tasks have ended, or one of them waits for the
/// answer to a challenge, while no process owns it.
///
/// It is started in a process group of its own, with the session's identifier in `URLSESSION_IDENTIFIER`; what
/// it prints goes to `BackgroundService.launchLog`. It gets this process's umask and, of this process's
/// environment, `PATH`, `HOME`, `LANG`, `XDG_*`, `URLSESSIOND_*` and the variables named here, nothing else:
/// the service writes all that down.
public struct LaunchCommand: Sendable, Equatable {
    /// The executable and its arguments. An executable without a slash is looked for in PATH, now.
    public var arguments: [String]
    /// The folder it is started in; nil is this process's.
    public var folder: String?
    /// Names of further environment variables it gets.
    public var environment: [String]

    public init(_ arguments: [String], folder: String? = nil, environment: [String] = []) {
        self.arguments = arguments
        self.folder = folder
        self.environment = environment
    }

    /// This very program with other arguments.
    public static func thisProgram(
        _ arguments: [String] = [], folder: String? = nil, environment: [String] = []
    ) -> LaunchCommand {
        let executable = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return LaunchCommand(
            [executable ?? CommandLine.arguments.first ?? ""] + arguments, folder: folder,
            environment: environment)
    }

    /// What the service is told; nil when there is nothing to start.
    func record(_ present: [String: String]) -> LaunchCommandRecord? {
        guard let program = arguments.first, !program.isEmpty else { return nil }
        let here = FileManager.default.currentDirectoryPath
        return LaunchCommandRecord(
            arguments: [Self.executable(program, here, present["PATH"] ?? "")] + arguments.dropFirst(),
            folder: folder.map { $0.hasPrefix("/") ? $0 : here + "/" + $0 } ?? here,
            environment: present.filter { name, _ in Self.isUsual(name) || environment.contains(name) },
            mask: Self.mask())
    }

    private static func isUsual(_ name: String) -> Bool {
        ["PATH", "HOME", "LANG"].contains(name) || name.hasPrefix("XDG_") || name.hasPrefix("URLSESSIOND_")
    }

    private static func executable(_ program: String, _ here: String, _ path: String) -> String {
        if program.hasPrefix("/") { return program }
        if program.contains("/") { return here + "/" + program }
        let found = path.split(separator: ":").map { $0 + "/" + program }.first { access($0, X_OK) == 0 }
        // Not found: the service says so when it is to be started, and nothing is lost by it.
        return found ?? program
    }

    /// The line `Umask:` of proc(5): umask(2) can only be read by setting it.
    private static func mask() -> Int? {
        let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("Umask:") }
        return line.flatMap {
            Int($0.dropFirst("Umask:".count).trimmingCharacters(in: .whitespaces), radix: 8)
        }
    }
}
