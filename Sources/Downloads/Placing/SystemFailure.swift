// A system call that failed: its errno, and what was being attempted. The
// module's public errors are made of it where the meaning is known.

import Glibc

struct SystemFailure: Error, Equatable {
    let code: Int32
    /// A phrase that follows "cannot ", e.g. "open /tmp/x".
    let attempt: String

    /// Reads errno: make it before any other call.
    init(_ attempt: String, code: Int32 = errno) {
        self.code = code
        self.attempt = attempt
    }

    var reason: String { String(cString: strerror(code)) }
}
