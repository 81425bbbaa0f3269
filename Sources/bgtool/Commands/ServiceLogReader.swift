// The last lines of the service's log, and new ones as they come.
import Foundation

struct ServiceLogReader {
    let path: String

    private static let pause: useconds_t = 250_000

    func show(lines: Int, follows: Bool) throws {
        guard let file = FileHandle(forReadingAtPath: path) else {
            Output.tell("there is no log yet: \(path)")
            return
        }
        let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        for line in text.split(separator: "\n").suffix(lines) { Output.line(String(line)) }
        while follows {
            usleep(Self.pause)
            guard let more = try file.readToEnd(), !more.isEmpty else { continue }
            Output.write(String(decoding: more, as: UTF8.self))
        }
    }
}
