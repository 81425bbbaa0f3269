// A task's details as the bytes of their column, in parts that change at different times: what a server
// answered is large, is said once, and would otherwise be encoded again at every step of a task.
import Foundation
import TransferProtocol

struct EncodedDetails: Sendable {
    private let answer: Part<AnswerDetails>
    private let course: Part<TaskDetails>

    private struct Part<Value: Encodable & Equatable & Sendable>: Sendable {
        var value: Value
        var json: Data
    }

    /// The members of `TaskDetails` that an answer's head and an attempt's end bring.
    private struct AnswerDetails: Encodable, Equatable, Sendable {
        var held: HeldBody?
        var response: ResponseRecord?
        var transactions: [TransactionRecord]?
    }

    /// - Parameter before: the same task's, as they were written last; what has not changed is taken from there.
    init(
        _ task: TaskRecord, reusing before: EncodedDetails?, _ attempt: String, path: String
    ) throws(StoreError) {
        var course = TaskDetails(task)
        let answer = AnswerDetails(
            held: course.held, response: course.response, transactions: course.transactions)
        course.held = nil
        course.response = nil
        course.transactions = nil
        self.answer = try Self.part(answer, before?.answer, attempt, path)
        self.course = try Self.part(course, before?.course, attempt, path)
    }

    private static func part<Value>(
        _ value: Value, _ before: Part<Value>?, _ attempt: String, _ path: String
    ) throws(StoreError) -> Part<Value> {
        if let before, before.value == value { return before }
        return Part(value: value, json: try StoreCoding.data(value, attempt, path: path))
    }

    /// Both objects as one.
    var column: SQLValue {
        let empty = 2
        guard answer.json.count > empty else { return .json(course.json) }
        guard course.json.count > empty else { return .json(answer.json) }
        return .json(course.json.dropLast() + Data(",".utf8) + answer.json.dropFirst())
    }
}
