// An engine that moves no bytes: it writes down what it is asked, and the test says what comes of it.
import Foundation
import HTTPEngine

@testable import TransferService

final class FakeEngine: TransferEngine, @unchecked Sendable {
    // Unchecked: the scheduler and the tests use it on the actor's queue only.
    enum Command: Equatable {
        case start(UInt64), cancel(UInt64), pause(UInt64), unpause(UInt64)
    }

    private(set) var commands: [Command] = []
    private(set) var requests: [UInt64: EngineRequest] = [:]
    /// Called before a transfer starts.
    var whenStarting: () -> Void = {}

    func start(_ id: TransferID, _ request: EngineRequest) {
        whenStarting()
        commands.append(.start(id.rawValue))
        requests[id.rawValue] = request
    }

    func cancel(_ id: TransferID) { commands.append(.cancel(id.rawValue)) }
    func pause(_ id: TransferID) { commands.append(.pause(id.rawValue)) }
    func unpause(_ id: TransferID) { commands.append(.unpause(id.rawValue)) }
    func shutdown() {}

    /// The transfers that were started, in order.
    var started: [UInt64] { commands.compactMap { if case .start(let id) = $0 { id } else { nil } } }

    func range(of id: UInt64) -> String? { requests[id]?.headers.first { $0.name == "Range" }?.value }
}
