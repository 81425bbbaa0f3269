// A program that a person wants to have run when a download is in place. Started, never waited for: it may
// take hours, and lives in a process group of its own, so that it outlives whoever placed the file.
import CLinux
import Foundation

/// A command and where it is run.
public struct FinishCommand: Codable, Sendable, Equatable {
    /// The executable, looked for in PATH when it has no slash, and its arguments.
    public var arguments: [String]
    /// Absolute.
    public var folder: String

    public init(arguments: [String], folder: String) {
        self.arguments = arguments
        self.folder = folder
    }

    /// Starts it with this process's environment and `additions`; what it prints is appended to `log`.
    /// Blocks for a moment; any thread.
    /// - Returns: its pid.
    @discardableResult
    public func start(
        additions: [String: String], without removed: Set<String> = [], log: String
    ) throws(FinishCommandError) -> Int32 {
        let present = ProcessInfo.processInfo.environment.filter { !removed.contains($0.key) }
        let pairs = present.merging(additions) { $1 }.map { "\($0.key)=\($0.value)" }.sorted()
        let program = Self.executable(arguments.first ?? "", folder, present["PATH"] ?? "")
        let output = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard output >= 0 else { throw FinishCommandError(program: log, code: errno) }
        defer { close(output) }
        var pid: pid_t = 0
        let code = Self.withCStrings([program] + arguments.dropFirst()) { arguments in
            Self.withCStrings(pairs) { environment in
                clinux_spawn_program(
                    program, arguments, environment, folder, output, UserMask.current, &pid)
            }
        }
        guard code == 0 else { throw FinishCommandError(program: program, code: code) }
        return pid
    }

    private static func executable(_ name: String, _ folder: String, _ path: String) -> String {
        if name.contains("/") { return name.hasPrefix("/") ? name : folder + "/" + name }
        return path.split(separator: ":").map { $0 + "/" + name }.first { access($0, X_OK) == 0 } ?? name
    }

    /// Calls `body` with a null-terminated array of C strings.
    private static func withCStrings<Result>(
        _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
        defer { pointers.forEach { free($0) } }
        pointers.append(nil)
        return pointers.withUnsafeBufferPointer { body($0.baseAddress.unsafelyUnwrapped) }
    }
}

/// A finish command that could not be started.
public struct FinishCommandError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file concerned.
    public var program: String
    /// An errno value.
    public var code: Int32

    public var description: String {
        "cannot start \(program): \(String(cString: strerror(code))). See that it is there and may be executed."
    }
}
