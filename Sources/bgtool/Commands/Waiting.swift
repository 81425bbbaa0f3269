// Runs what is asynchronous from the main thread, which waits for it: nothing of bgtool's needs the main queue.
import Dispatch

enum Waiting {
    static func until<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        let outcome = Outcome<Value>()
        Task.detached {
            do {
                outcome.come(.success(try await work()))
            } catch {
                outcome.come(.failure(error))
            }
        }
        return try outcome.wait().get()
    }

    private final class Outcome<Value: Sendable>: @unchecked Sendable {
        // Unchecked: the semaphore orders the one writer before the one reader.
        private var result: Result<Value, any Error>?
        private let isThere = DispatchSemaphore(value: 0)

        func come(_ result: Result<Value, any Error>) {
            self.result = result
            isThere.signal()
        }

        func wait() -> Result<Value, any Error> {
            while true {
                isThere.wait()
                if let result { return result }
            }
        }
    }
}
