// A program started by the service in a process group of its own, and watched until it ends. It may be a
// child of an earlier service: then its end is seen, its status is not.
import CLinux
import Foundation
import TransferProtocol

/// What the relauncher needs of the system; replaced in tests.
@TransferActor
protocol ProgramLaunching: AnyObject {
    /// Starts it. Throws what kept it from being started.
    func start(
        _ command: LaunchCommandRecord, environment: [String: String], title: String
    ) throws(SystemCallError) -> LaunchedProgram
    /// Calls `ended` once, when it has ended, also if that was long ago.
    func watch(_ program: LaunchedProgram, ended: @escaping @TransferActor @Sendable (ExitWord) -> Void)
    /// Sends a signal to its group, if it still lives.
    func signal(_ number: Int32, _ program: LaunchedProgram)
    /// Cuts the output of programs to its bound.
    func boundOutput()
}

struct LaunchedProgram: Sendable, Equatable {
    var pid: Int32
    /// With the pid, its identity.
    var startTicks: UInt64
}

@TransferActor
final class ProgramLauncher: ProgramLaunching {
    /// Bytes of output kept: two files of this length at most, and while a visit runs a little more.
    private static let mostOutput: off_t = 1 << 20
    /// Seconds between looks at a process where the kernel cannot tell of its end.
    private static let pause = 0.25

    private let log: String
    private var sources: [Int32: any DispatchSourceRead] = [:]

    nonisolated init(home: ServiceHome) { log = home.launchLog }

    func start(
        _ command: LaunchCommandRecord, environment: [String: String], title: String
    ) throws(SystemCallError) -> LaunchedProgram {
        let path = command.arguments.first ?? ""
        rotateOutput()
        let output = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard output >= 0 else { throw SystemCallError("open the log of started programs", log) }
        defer { close(output) }
        let head = "== \(title)\n"
        _ = head.withCString { write(output, $0, strlen($0)) }
        let pairs = command.environment.merging(environment) { $1 }.map { "\($0.key)=\($0.value)" }.sorted()
        var pid: pid_t = 0
        let code = withCStrings(command.arguments) { arguments in
            withCStrings(pairs) { environment in
                clinux_spawn_program(
                    path, arguments, environment, command.folder, output, mode_t(command.mask ?? 0o077), &pid)
            }
        }
        guard code == 0 else { throw SystemCallError("start", path, code: code) }
        return LaunchedProgram(pid: pid, startTicks: Self.startTicks(pid) ?? 0)
    }

    func watch(
        _ program: LaunchedProgram, ended: @escaping @TransferActor @Sendable (ExitWord) -> Void
    ) {
        // A child stays until it is waited for; of another's the pid may be a stranger's by now.
        guard lives(program) else { return ended(reap(program.pid) ?? .unknown) }
        let descriptor = clinux_pidfd_open(program.pid)
        guard descriptor >= 0 else { return lookAgain(program, ended) }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: TransferActor.queue)
        source.setEventHandler { [weak self] in
            TransferActor.assumeIsolated { () -> Void in
                source.cancel()
                guard let self else { return }
                self.sources[program.pid] = nil
                ended(self.reap(program.pid) ?? .unknown)
            }
        }
        source.setCancelHandler { close(descriptor) }
        sources[program.pid] = source
        source.resume()
    }

    func signal(_ number: Int32, _ program: LaunchedProgram) {
        // The group may have outlived its leader; its number is free for others only when it is empty.
        if lives(program) || sources[program.pid] != nil { kill(-program.pid, number) }
    }

    /// A program goes on writing at the new end: its output is appended.
    func boundOutput() {
        for file in [log, log + ".1"] where Self.length(file) > 2 * Self.mostOutput {
            truncate(file, Self.mostOutput)
        }
    }

    private func rotateOutput() {
        if Self.length(log) > Self.mostOutput { rename(log, log + ".1") }
    }

    private static func length(_ path: String) -> off_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_size : 0
    }

    private func lookAgain(
        _ program: LaunchedProgram, _ ended: @escaping @TransferActor @Sendable (ExitWord) -> Void
    ) {
        TransferActor.queue.asyncAfter(deadline: .now() + Self.pause) { [weak self] in
            TransferActor.assumeIsolated { () -> Void in
                guard let self else { return }
                if let word = self.reap(program.pid) { return ended(word) }
                self.lives(program) ? self.lookAgain(program, ended) : ended(.unknown)
            }
        }
    }

    /// Nil when it still runs, or was not this process's child.
    private func reap(_ pid: Int32) -> ExitWord? {
        var status: Int32 = 0
        guard waitpid(pid, &status, WNOHANG) == pid else { return nil }
        let signal = status & 0x7f
        return signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
    }

    private func lives(_ program: LaunchedProgram) -> Bool {
        Self.startTicks(program.pid) == program.startTicks && !isZombie(program.pid)
    }

    private func isZombie(_ pid: Int32) -> Bool { Self.fields(pid)?.first == "Z" }

    /// Field 22 of /proc/PID/stat (proc(5)).
    private static func startTicks(_ pid: Int32) -> UInt64? {
        fields(pid).flatMap { $0.count > 19 ? UInt64($0[19]) : nil }
    }

    /// Those behind the program's name, which may hold anything.
    private static func fields(_ pid: Int32) -> [Substring]? {
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return nil }
        return text[text.index(after: end)...].split(separator: " ")
    }
}

/// Calls `body` with a null-terminated array of C strings.
private func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
    defer { pointers.forEach { free($0) } }
    pointers.append(nil)
    return pointers.withUnsafeBufferPointer { buffer in
        // An array of one at least has an address.
        body(buffer.baseAddress.unsafelyUnwrapped)
    }
}
