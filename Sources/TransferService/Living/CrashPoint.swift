// Places where the tests end the service on purpose, as SIGKILL would. Nothing of it is left in a release
// build. Reached on the actor's queue.
import Foundation

enum CrashPoint: String {
    case beforeCommit, afterCommit, betweenLinkAndAcknowledgement, inRecovery

    #if DEBUG
        /// Dies here if this life is to end here: each life takes the first line of the file that
        /// `FaultSwitch.crashes` names, such as `beforeCommit` or, for the third time, `beforeCommit:3`. A
        /// line that came true is added to a file beside it, `.reached`.
        @TransferActor
        func reached() {
            guard let plan = Self.plan, plan.point == self else { return }
            Self.passes += 1
            guard Self.passes == plan.pass else { return }
            Self.append("\(rawValue):\(plan.pass)\n", to: plan.file + ".reached")
            kill(getpid(), SIGKILL)
        }

        private struct Plan {
            var file: String
            var point: CrashPoint
            var pass: Int
        }

        @TransferActor private static var passes = 0
        @TransferActor private static let plan = takePlan()

        private static func takePlan() -> Plan? {
            guard let file = FaultSwitch.crashes.value,
                let text = try? String(contentsOfFile: file, encoding: .utf8), !text.isEmpty
            else { return nil }
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            let rest = lines.dropFirst().joined(separator: "\n")
            try? rest.write(toFile: file, atomically: true, encoding: .utf8)
            let words = lines[0].split(separator: ":")
            guard let name = words.first, let point = CrashPoint(rawValue: String(name)) else { return nil }
            return Plan(file: file, point: point, pass: words.count > 1 ? Int(words[1]) ?? 1 : 1)
        }

        private static func append(_ text: String, to file: String) {
            let descriptor = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
            _ = text.withCString { write(descriptor, $0, strlen($0)) }
            close(descriptor)
        }
    #else
        @inline(__always) func reached() {}
    #endif
}
