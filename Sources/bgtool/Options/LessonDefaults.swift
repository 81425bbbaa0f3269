// What `start` and `upload` do when nothing is named: the lesson's transfers,
// against the lesson's server on this machine. Figures only, no behaviour.

enum LessonDefaults {
    static let session = "com.example.library.relaunch"
    static let downloadName = "audiobook-42"
    static let downloadAddress = "http://127.0.0.1:8765/audiobook"
    static let uploadName = "photo-upload-7"
    static let uploadAddress = "http://127.0.0.1:8765/uploads"
    /// The size of the file that `upload` makes when none is given.
    static let uploadBytes = 5_000_000
    /// How long a lesson's transfer is watched before the process leaves it, in seconds.
    static let watch: Double = 2
}
