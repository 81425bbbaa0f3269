// A sentence on standard error, for the mistakes that Apple's platforms log.
import Foundation

enum Complaint {
    static func print(_ sentence: String) {
        // Not by FileHandle, which ends the process when standard error cannot be written to.
        _ = (sentence + "\n").withCString { write(STDERR_FILENO, $0, strlen($0)) }
    }
}
