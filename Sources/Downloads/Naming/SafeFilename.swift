// One file name that can stand in any folder and names nothing outside it,
// made from a name that a stranger chose. It never asks the file system.

struct SafeFilename {
    /// The longest name Linux file systems take, in bytes of UTF-8.
    static let mostBytes = 255

    let name: String

    /// Nil if nothing usable is left.
    init?(_ suggestion: String) {
        let visible = suggestion.unicodeScalars.filter(Self.isKept)
        // Both separators: servers on Windows send whole paths (RFC 6266, section 4.3).
        // By scalars: a slash with a combining mark is another Character, but the
        // kernel still sees the slash.
        let parts = visible.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }
        let last = parts.last.map { String($0) }?.trimmingCharacters(in: .whitespaces)
        // Once more after the cut, which may have been made before a space.
        let short = Self.shortened(last ?? "").trimmingCharacters(in: .whitespaces)
        guard !short.isEmpty, short != ".", short != ".." else { return nil }
        name = short
    }

    /// Control characters, line separators and the marks that reverse a name's
    /// reading order (so that "gpj.exe" shows as "exe.jpg") are dropped.
    private static func isKept(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        default: !(0x202A...0x202E).contains(scalar.value) && !(0x2066...0x2069).contains(scalar.value)
        }
    }

    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > mostBytes else { return name }
        let suffix = fileExtension(of: name)
        let stem = cut(name.dropLast(suffix.count), to: mostBytes - suffix.utf8.count)
        return stem.isEmpty ? cut(name[...], to: mostBytes) : stem + suffix
    }

    /// The extension with its dot; empty if there is none.
    private static func fileExtension(of name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
        return String(name[dot...])
    }

    /// As many whole characters as fit.
    private static func cut(_ text: Substring, to bytes: Int) -> String {
        var left = bytes
        return String(
            text.prefix { character in
                left -= character.utf8.count
                return left >= 0
            })
    }
}
