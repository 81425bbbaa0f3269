// Sums that must not be made up.

import Testing

@testable import Downloads

struct ProgressBoardTests {
    @Test func `the whole is the sum of all`() {
        var board = ProgressBoard()
        board.note("a", done: 1, total: 10)
        board.note("b", done: 2, total: 20)
        board.note("a", done: 5, total: 10)
        #expect(board.whole == .init(done: 7, total: 30))
        #expect(board.each["a"]?.fraction == 0.5)
        board.remove("b")
        #expect(board.whole == .init(done: 5, total: 10))
    }

    @Test func `what is unknown stays unknown`() {
        var board = ProgressBoard()
        board.note("a", done: 1, total: 10)
        board.note("b", done: 2, total: -1)
        #expect(board.each["b"] == .init(done: 2, total: nil))
        #expect(board.whole == .init(done: 3, total: nil))
        #expect(board.whole.fraction == nil)
        #expect(board.each["b"]?.fraction == nil)
    }

    @Test func `nothing is nothing of nothing, and more than was promised is no more than all`() {
        #expect(ProgressBoard().whole == .init(done: 0, total: 0))
        #expect(ProgressBoard.Amount(done: 0, total: 0).fraction == 1)
        #expect(ProgressBoard.Amount(done: 11, total: 10).fraction == 1)
    }

    @Test func `two absurd promises do not overflow`() {
        var board = ProgressBoard()
        board.note("a", done: .max, total: .max)
        board.note("b", done: .max, total: .max)
        #expect(board.whole == .init(done: .max, total: .max))
    }
}
