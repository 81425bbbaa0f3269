// What the scheduler needs of an engine; the tests have one that moves no bytes.
import HTTPEngine

protocol TransferEngine: Sendable {
    func start(_ id: TransferID, _ request: EngineRequest)
    func cancel(_ id: TransferID)
    func pause(_ id: TransferID)
    func unpause(_ id: TransferID)
    func shutdown()
    func emptyJar(_ path: String)
}

extension TransferEngine {
    func emptyJar(_ path: String) {}
}

extension HTTPEngine: TransferEngine {}
