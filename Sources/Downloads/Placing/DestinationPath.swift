// A destination's folder and last part, taken from the path as text. It does
// not resolve links and does not ask whether either exists.

struct DestinationPath: Equatable {
    let folder: String
    /// Empty where the path ends with a slash and so means a folder.
    let name: String

    init(_ path: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else {
            folder = "."
            name = path
            return
        }
        folder = slash == path.startIndex ? "/" : String(path[..<slash])
        name = String(path[path.utf8.index(after: slash)...])
    }
}
