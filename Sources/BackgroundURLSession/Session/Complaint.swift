// A sentence on standard error, for the mistakes that Apple's platforms log.
import Foundation

enum Complaint {
    static func print(_ sentence: String) {
        FileHandle.standardError.write(Data((sentence + "\n").utf8))
    }
}
