// libFuzzer's door: one program, one target a run, named by FUZZ_TARGET. What a target promises is
// asserted inside it; a broken promise, a trap and a sanitizer's finding all end the run with the input.
import Foundation

/// A way bytes of strangers get into this house. Takes any bytes; returns, or traps on a broken promise.
typealias FuzzTarget = @Sendable ([UInt8]) -> Void

private let targets: [String: FuzzTarget] = [
    "framer": fuzzFramer,
    "messages": fuzzMessages,
    "head": fuzzHead,
    "answer": fuzzAnswer,
    "filename": fuzzFilename,
    "resumedata": fuzzResumeData,
]

private let chosen: FuzzTarget = {
    guard let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"], let target = targets[name] else {
        fatalError("FUZZ_TARGET names one of \(targets.keys.sorted().joined(separator: ", "))")
    }
    return target
}()

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    chosen(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

/// An invariant of a target. Not `assert`: it must hold in the release build that is fuzzed.
func promise(_ holds: Bool, _ what: @autoclosure () -> String) {
    if !holds { fatalError("broken promise: \(what())") }
}
