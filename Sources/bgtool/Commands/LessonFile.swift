// The file that the lesson uploads when none is named: made once, in the folder where upload runs.
import Foundation

enum LessonFile {
    static let name = LessonDefaults.uploadName + ".jpg"

    /// Makes the file unless it is there already, and tells the person where: they are to remove it in one of
    /// the experiments.
    static func make() throws -> URL {
        let url = URL(fileURLWithPath: name)
        var status = stat()
        if stat(url.path, &status) == 0, Int(status.st_size) == LessonDefaults.uploadBytes { return url }
        // Bytes that depend on their place, so that a body put together wrongly shows.
        var bytes = Data(capacity: LessonDefaults.uploadBytes)
        var state: UInt32 = 42
        while bytes.count < LessonDefaults.uploadBytes {
            state = state &* 1_664_525 &+ 1_013_904_223
            bytes.append(UInt8(state >> 24))
        }
        do {
            try bytes.write(to: url, options: .withoutOverwriting)
        } catch {
            throw CommandFailure(
                "Could not make the lesson's file \(url.path): \(error.localizedDescription). Name a file to "
                    + "upload, or go to a folder you may write to.", status: ExitStatus.usage)
        }
        Output.tell("made \(url.path), \(bytes.count) bytes")
        return url
    }
}
