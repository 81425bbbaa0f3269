// Programs started for real: what becomes of their output.
import Foundation
import Testing
import TransferProtocol

@testable import TransferService

@TransferActor
@Suite struct ProgramLauncherTests {
    private func run(_ script: String, _ launcher: ProgramLauncher) async throws -> ExitWord {
        let program = try launcher.start(
            LaunchCommandRecord(
                arguments: ["/bin/sh", "-c", script], folder: "/", environment: ["PATH": "/usr/bin:/bin"]),
            environment: [:], title: "a test's")
        return await withCheckedContinuation { done in
            launcher.watch(program) { done.resume(returning: $0) }
        }
    }

    private func length(_ path: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }

    @Test func `a program that prints for ever fills two files at most, and the newest output is kept`()
        async throws
    {
        let home = try SchedulerBench.newHome()
        defer { try? FileManager.default.removeItem(atPath: home.folder) }
        let launcher = ProgramLauncher(home: home)
        #expect(try await run("head -c 3000000 /dev/zero; exit 3", launcher) == .exited(3))
        #expect(length(home.launchLog) > 3_000_000)
        launcher.boundOutput()
        #expect(length(home.launchLog) == 1 << 20)
        // What comes next is appended; a file beyond its bound is put aside for it.
        _ = try await run("head -c 5 /dev/zero", launcher)
        _ = try await run("echo the newest", launcher)
        let newest = try String(contentsOfFile: home.launchLog, encoding: .utf8)
        #expect(newest == "== a test's\nthe newest\n")
        #expect((1 << 20...2 << 20).contains(length(home.launchLog + ".1")))
    }
}
