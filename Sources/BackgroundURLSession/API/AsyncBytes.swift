// An answer as a sequence of bytes. One loop at a time; it runs wherever the loop does.

extension URLSession {
    /// The bytes of an answer, in order, as they come. Leaving the loop and the sequence cancels the task.
    public struct AsyncBytes: AsyncSequence, Sendable {
        public typealias Element = UInt8

        /// The task whose answer this is.
        public var task: URLSessionDataTask { holder.task }
        private let holder: Holder

        init(task: URLSessionDataTask, gate: BytesGate) { holder = Holder(task: task, gate: gate) }

        public func makeAsyncIterator() -> Iterator { Iterator(holder: holder) }

        public struct Iterator: AsyncIteratorProtocol {
            private let holder: Holder
            private var piece: [UInt8] = []
            private var position = 0

            fileprivate init(holder: Holder) { self.holder = holder }

            /// Throws the task's error, `URLError.cancelled` when the Swift task is cancelled.
            @inline(__always)
            public mutating func next() async throws -> UInt8? {
                if position == piece.count, try await !fill() { return nil }
                defer { position += 1 }
                return piece[position]
            }

            private mutating func fill() async throws -> Bool {
                let holder = holder
                let more = try await withTaskCancellationHandler {
                    try await holder.gate.next()
                } onCancel: {
                    holder.task.cancel()
                }
                piece = more.map([UInt8].init) ?? []
                position = 0
                return !piece.isEmpty
            }
        }

        fileprivate final class Holder: Sendable {
            let task: URLSessionDataTask
            let gate: BytesGate

            init(task: URLSessionDataTask, gate: BytesGate) {
                self.task = task
                self.gate = gate
            }

            deinit { task.cancel() }
        }
    }
}
