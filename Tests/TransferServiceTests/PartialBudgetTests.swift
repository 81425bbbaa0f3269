// Which partial files go when there are too many bytes of them, and that they do.
import Foundation
import HTTPEngine
import Testing
import TransferProtocol

@testable import TransferService
@testable import TransferStore

@TransferActor
@Suite struct PartialBudgetTests {
    private func partial(_ name: String, _ bytes: Int64, age: Double) -> PartialRecord {
        PartialRecord(
            token: name, file: name, bytes: bytes, created: Date(timeIntervalSinceReferenceDate: -age))
    }

    @Test func `the oldest go until the rest fits`() {
        let all = [partial("new", 30, age: 1), partial("old", 30, age: 3), partial("middle", 30, age: 2)]
        func gone(_ budget: Int64) -> [String] { PartialBudget(bytes: budget).excess(of: all).map(\.file) }
        #expect(gone(90) == [])
        #expect(gone(89) == ["old"])
        #expect(gone(60) == ["old"])
        #expect(gone(59) == ["old", "middle"])
        // Somebody has just paused the newest.
        #expect(gone(0) == ["old", "middle"])
    }

    @Test func `nothing is too little to judge, and absurd sizes are no trap`() {
        #expect(PartialBudget(bytes: 0).excess(of: []).isEmpty)
        let absurd = [partial("a", .max, age: 2), partial("b", .max, age: 1)]
        #expect(PartialBudget(bytes: 1).excess(of: absurd).map(\.file) == ["a"])
    }

    @Test func `the environment says another budget, if it says a number`() {
        #expect(PartialBudget(environment: ["URLSESSIOND_PARTIAL_BYTES": "5"]).bytes == 5)
        #expect(PartialBudget(environment: ["URLSESSIOND_PARTIAL_BYTES": "many"]).bytes == 10 << 30)
    }

    @Test func `a paused download makes room at the cost of the oldest, on disk too`() async throws {
        let bench = try SchedulerBench()
        bench.scheduler.partialBudget = PartialBudget(bytes: 150)
        for name in ["a", "b"] {
            try Data(repeating: 0, count: 100).write(to: URL(fileURLWithPath: bench.home.bodies + "/" + name))
        }
        try bench.store.keepPartial(partial("a", 100, age: 2))
        try bench.store.keepPartial(partial("b", 100, age: 1))
        try bench.scheduler.trimPartials()
        await bench.settle()
        #expect(try bench.store.partials().map(\.file) == ["b"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: bench.home.bodies) == ["b"])
    }
}
