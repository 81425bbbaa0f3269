// Between a task's answer and whoever iterates over its bytes: one piece at a time, asked for when the one
// before is used up, so that a slow loop holds the transfer and nothing is gathered.
import Foundation
import FoundationNetworking
import TransferProtocol

final class BytesGate: @unchecked Sendable {
    // Unchecked: what changes is in `state`.
    private let state = Guarded(State())

    private struct State {
        var stream: AnswerStream?
        var head: CheckedContinuation<URLResponse, any Error>?
        var piece: CheckedContinuation<Data?, any Error>?
        var end: Result<Data?, any Error>?
    }

    /// Waits for the answer's head.
    func response(_ start: () -> Void) async throws -> URLResponse {
        try await withCheckedThrowingContinuation { head in
            let end = state.with { state in
                if state.end == nil { state.head = head }
                return state.end
            }
            // A task that was cancelled before this is over already.
            guard let end else { return start() }
            head.resume(throwing: Self.failure(end))
        }
    }

    /// The next piece; nil at the end. One call at a time.
    func next() async throws -> Data? {
        try await withCheckedThrowingContinuation { piece in
            let (end, stream) = state.with { state in
                if state.end == nil { state.piece = piece }
                return (state.end, state.stream)
            }
            if let end { return piece.resume(with: end) }
            stream?.next { data in
                let piece = self.state.with { state in
                    defer { state.piece = nil }
                    return state.piece
                }
                piece?.resume(returning: data)
            }
        }
    }

    /// The head is there.
    func begin(_ stream: AnswerStream, _ response: URLResponse) {
        let head = state.with { state in
            state.stream = stream
            defer { state.head = nil }
            return state.head
        }
        head?.resume(returning: response)
    }

    /// The task has ended, after the last piece unless with an error.
    func end(_ error: (any Error)?) {
        let end = error.map { Result<Data?, any Error>.failure($0) } ?? .success(nil)
        let (head, piece) = state.with { state in
            state.end = end
            state.stream = nil
            defer {
                state.head = nil
                state.piece = nil
            }
            return (state.head, state.piece)
        }
        head?.resume(throwing: Self.failure(end))
        piece?.resume(with: end)
    }

    /// What the end of a task is to somebody who waits for its head.
    private static func failure(_ end: Result<Data?, any Error>) -> any Error {
        if case .failure(let error) = end { return error }
        return ErrorRecord(ErrorCode.badServerResponse, "There was no answer.").asError
    }
}
