// Process-bound tasks, and tasks whose answer is read as it comes: what the machine does otherwise with them.
import Foundation
import Testing
import TransferProtocol

@testable import TransferService
@testable import TransferStore

@Suite struct RetryRuleTests {
    private func running(_ change: (inout TaskRecord) -> Void) -> TransferMachine {
        var task = Sample.task()
        change(&task)
        var machine = TransferMachine(task)
        _ = take(.resume, &machine)
        _ = take(.admitted, &machine)
        return machine
    }

    @discardableResult
    private func take(
        _ input: TransferInput, _ machine: inout TransferMachine, length: Int64 = 0
    ) -> [TransferAction] {
        machine.handle(
            input, bodyLength: length, now: Date(timeIntervalSince1970: 1000), chance: 0.5,
            keptPath: "/kept/1")
    }

    private func lose(
        _ code: Int, _ machine: inout TransferMachine, length: Int64 = 0
    ) -> [TransferAction] {
        take(.attemptEnded(.lost(code: code, reason: "weather"), sent: 0), &machine, length: length)
    }

    @Test func aProcessBoundTaskEndsWithWhatItLost() {
        for code in [-1001, -1003, -1004, -1005] {
            var machine = running { $0.retryRule = .never }
            _ = lose(code, &machine)
            #expect(machine.task.phase == .ended)
            #expect(machine.task.error?.code == code)
        }
    }

    @Test func oneThatWaitsForConnectivityDoesSoUntilItIsConnected() {
        var machine = running { $0.retryRule = .untilConnected }
        _ = lose(-1004, &machine)
        #expect(machine.task.phase == .waiting)
        take(.retryDue, &machine)
        take(.admitted, &machine)
        _ = lose(-1005, &machine)
        #expect(machine.task.error?.code == -1005)
    }

    @Test func whatItHeldIsDescribedInItsErrorWithItsPlace() throws {
        var machine = running { $0.retryRule = .never }
        take(.answered(Sample.resumable(), .take(total: 1000)), &machine)
        let actions = lose(-1005, &machine, length: 400)
        #expect(actions.contains(.keepBody))
        let data = try #require(machine.task.error?.resumeData)
        #expect(ResumeDescription(data)?.file == "/kept/1")
        #expect(ResumeDescription(data)?.received == 400)
    }

    @Test func anAnswerThatIsReadAsItComesIsNotBegunAgain() {
        var machine = running {
            $0.kind = .data; $0.pipe = "/in/1.pipe"
        }
        _ = lose(-1004, &machine)
        #expect(machine.task.phase == .waiting)
        take(.retryDue, &machine)
        take(.admitted, &machine)
        take(.answered(Sample.answer(200), .take(total: 10)), &machine)
        _ = lose(-1005, &machine, length: 4)
        #expect(machine.task.error?.code == -1005)
    }

    @Test func itEndsWithoutAFileOfItsOwn() {
        var machine = running {
            $0.kind = .data; $0.pipe = "/in/1.pipe"
        }
        take(.answered(Sample.answer(200), .take(total: 10)), &machine)
        let actions = take(.attemptEnded(.finished, sent: 0), &machine, length: 10)
        #expect(actions == [.releaseConnection, .save, .post(.completed(error: nil))])
        #expect(machine.task.received == 10)
    }

    @Test func itEndsWhenItsReaderHasLeftAndAfterTheServicesDeath() {
        var left = running {
            $0.kind = .data; $0.pipe = "/in/1.pipe"
        }
        #expect(take(.readerLeft, &left).contains(.stopAttempt))
        take(.attemptEnded(.stopped, sent: 0), &left)
        #expect(left.task.error?.code == -997)

        var found = running {
            $0.kind = .data; $0.pipe = "/in/1.pipe"
        }
        take(.answered(Sample.answer(200), .take(total: 10)), &found)
        var machine = TransferMachine(found.task)
        take(.recovered(isChangedByOwner: false), &machine, length: 4)
        #expect(machine.task.phase == .ended)
        #expect(machine.task.error?.code == -997)
    }
}
