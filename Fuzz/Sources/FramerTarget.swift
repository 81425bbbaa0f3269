// The line framer: the first bytes say how the stream is cut and how long a line may be; however it is
// cut, the same lines come out, and together they are the input.
import TransferProtocol

func fuzzFramer(_ input: [UInt8]) {
    guard input.count >= 2 else { return }
    let stream = Array(input[2...])
    let limit = Int(input[0]) + 1
    let step = Int(input[1]) % 16 + 1
    let whole = Framed(stream, limit: limit, step: max(1, stream.count))
    let inSteps = Framed(stream, limit: limit, step: step)

    promise(whole.lines == inSteps.lines, "the cut into reads of \(step) decides which lines are heard")
    promise(whole.isTooLong == inSteps.isTooLong, "the cut into reads of \(step) decides what is too long")
    promise(whole.holdsHalf == inSteps.holdsHalf, "the cut into reads of \(step) decides what is half")
    // By a rule written the other way round: cut at every newline, stop at the first that is too long.
    let pieces = stream.split(separator: 0x0A, omittingEmptySubsequences: false)
    let heard = pieces.prefix { $0.count <= limit }
    promise(whole.isTooLong == (heard.count < pieces.count), "a line of up to \(limit) bytes is not too long")
    let complete = whole.isTooLong ? heard : heard.dropLast()
    promise(
        whole.lines == complete.filter { !$0.isEmpty }.map(Array.init), "the lines joined are the input")
    if !whole.isTooLong {
        promise(whole.holdsHalf == (pieces.last?.isEmpty == false), "what follows the last newline is half")
    }
}

private struct Framed {
    var lines: [[UInt8]] = []
    var isTooLong = false
    var holdsHalf = false

    init(_ stream: [UInt8], limit: Int, step: Int) {
        var framer = LineFramer(limit: limit)
        do throws(LineTooLong) {
            for start in stride(from: 0, to: stream.count, by: step) {
                // A copy of its own, so that reading beyond a read's end is seen.
                let read = Array(stream[start..<min(start + step, stream.count)])
                let taken: Result<[[UInt8]], LineTooLong> = read.withUnsafeBytes { bytes in
                    do throws(LineTooLong) {
                        return .success(try framer.take(bytes).map(Array.init))
                    } catch {
                        return .failure(error)
                    }
                }
                lines += try taken.get()
            }
            holdsHalf = framer.holdsHalfALine
        } catch {
            lines += error.before.map(Array.init)
            isTooLong = true
        }
    }
}
