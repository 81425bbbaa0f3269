// How other threads speak to curl's: commands in order, and a nudge when it sleeps. `post` and `close` may
// be called from any thread; the nudge is the one libcurl call that is allowed from everywhere.
import CCurl
import Foundation

enum EngineCommand: Sendable {
    case start(TransferID, EngineRequest)
    case cancel(TransferID)
    case pause(TransferID)
    case unpause(TransferID)
    case synced(TransferID, length: Int64, succeeded: Bool)
    case emptyJar(String)
    /// A source was opened, or could not be.
    case opened(TransferID, Result<UploadReader, EngineFailure>)
    /// A piece of a source that could not be had at once.
    case read(TransferID, at: Int64, Result<[UInt8], EngineFailure>)
    case shutdown
}

final class CommandQueue: @unchecked Sendable {
    // Unchecked: `lock` guards all of it.
    private let lock = NSLock()
    private var commands: [EngineCommand] = []
    private var sleeper: UnsafeMutableRawPointer?
    private var isClosed = false

    /// From now on, commands wake this multi handle's poll.
    func wakes(_ multi: UnsafeMutableRawPointer?) { lock.withLock { sleeper = multi } }

    /// False once closed: nobody will ever take the command.
    func post(_ command: EngineCommand) -> Bool {
        lock.withLock {
            guard !isClosed else { return false }
            commands.append(command)
            if commands.count == 1, let sleeper { curl_multi_wakeup(sleeper) }
            return true
        }
    }

    func take() -> [EngineCommand] {
        lock.withLock {
            defer { commands = [] }
            return commands
        }
    }

    /// Returns what was posted and not taken. The multi handle is not touched any more.
    func close() -> [EngineCommand] {
        lock.withLock {
            isClosed = true
            sleeper = nil
            defer { commands = [] }
            return commands
        }
    }
}
