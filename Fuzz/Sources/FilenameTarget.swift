// The name of a downloaded file: a header and an address, a line each. Whatever they say, the name is one
// that stands in a folder and names nothing outside it.
import Downloads
import Foundation

func fuzzFilename(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    let lines = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let address = lines.count > 1 ? URL(string: lines[1], encodingInvalidCharacters: false) : nil
    check(SuggestedFilename(contentDisposition: lines[0], address: address))
    check(SuggestedFilename(contentDisposition: nil, address: address))
    // Newlines come decoded too.
    check(SuggestedFilename(contentDisposition: text, address: nil))
}

private func check(_ suggested: SuggestedFilename) {
    let name = suggested.name
    promise(!name.isEmpty && name != "." && name != "..", "'\(name)' names a file")
    promise(name.utf8.count <= 255, "a name of \(name.utf8.count) bytes")
    promise(!name.utf8.contains { $0 == UInt8(ascii: "/") || $0 < 0x20 || $0 == 0x7F }, "'\(name)' is clean")
    promise(!name.unicodeScalars.contains { $0.properties.generalCategory == .control }, "'\(name)' is clean")
    let folder = URL(fileURLWithPath: "/folder/inner", isDirectory: true)
    let placed = folder.appendingPathComponent(name, isDirectory: false)
    // By bytes, as the kernel sees it: a slash with a combining mark is another Character.
    promise(
        placed.standardizedFileURL.path.utf8.starts(with: "/folder/inner/".utf8),
        "'\(name)' leaves its folder")
    // Made safe again it stays what it is.
    let header =
        "attachment; filename=\"\(name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    let again = SuggestedFilename(contentDisposition: header, address: nil).name
    promise(again == name, "'\(name)' is cleaned into '\(again)'")
}
