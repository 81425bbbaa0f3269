// This program's file, as the kernel names it. Plain text work: it is asked at every start of every program, and
// Foundation's file manager and URLs take longer for it than the rest of the start.
import Foundation

struct Executable {
    var folder: String
    var name: String

    static var current: Executable {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &buffer, buffer.count)
        // No /proc: the name still says whose sessions these are.
        guard length > 0 else { return Executable(path: ProcessInfo.processInfo.processName) }
        return Executable(
            path: String(decoding: buffer.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self))
    }

    init(path: String) {
        // What the kernel says of a program that was replaced while it runs.
        let removed = " (deleted)"
        let path = path.hasSuffix(removed) ? String(path.dropLast(removed.count)) : path
        let parts = path.split(separator: "/")
        name = parts.last.map(String.init) ?? path
        folder = "/" + parts.dropLast().joined(separator: "/")
    }
}
