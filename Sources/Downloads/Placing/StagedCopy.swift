// A copy of a file in its destination's folder, before it has its final name.
// Where the file system can, it has no name at all until then, so that a
// killed process leaves nothing; otherwise a hidden one, removed on failure.

import CLinux
import Glibc

final class StagedCopy {
    private let file: OpenFile
    private let folder: String
    /// Nil while the copy has no name.
    private let hiddenPath: String?

    /// Makes an empty copy; throws what the folder says.
    init(in folder: String) throws(SystemFailure) {
        self.folder = folder
        if let unnamed = Self.openUnnamed(in: folder) {
            file = unnamed
            hiddenPath = nil
        } else {
            let path = Self.freshPath(in: folder)
            file = try OpenFile(path, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW, mode: 0o600)
            hiddenPath = path
        }
    }

    private static func openUnnamed(in folder: String) -> OpenFile? {
        let descriptor = clinux_open_unnamed(folder, 0o600)
        guard descriptor >= 0 else { return nil }
        let file = OpenFile(adopting: descriptor, path: "a new file in \(folder)")
        // Naming it later goes through /proc, which a bare container may lack.
        return access(procPath(descriptor), F_OK) == 0 ? file : nil
    }

    var identity: FileIdentity { file.identity }

    deinit {
        if let hiddenPath { unlink(hiddenPath) }
    }

    func fill(from source: borrowing OpenFile, mode: mode_t) throws(SystemFailure) {
        try source.forEachChunk { bytes throws(SystemFailure) in try file.write(bytes) }
        try file.setMode(mode)
        try file.sync()
    }

    /// Gives the copy its final name in one step.
    func publish(as path: String, replace: Bool) throws(SystemFailure) {
        switch (hiddenPath, replace) {
        case (nil, false):
            try linkUnnamed(to: path)
        case (nil, true):
            // A file without a name cannot replace one: it is named for a moment.
            let passing = Self.freshPath(in: folder)
            try linkUnnamed(to: passing)
            defer { unlink(passing) }
            try Self.replace(path, with: passing)
        case (let hidden?, false):
            try ExclusiveRename.rename(hidden, to: path)
        case (let hidden?, true):
            try Self.replace(path, with: hidden)
        }
    }

    private func linkUnnamed(to path: String) throws(SystemFailure) {
        let source = Self.procPath(file.descriptor)
        guard linkat(AT_FDCWD, source, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 else {
            throw SystemFailure("name the file \(path)")
        }
    }

    private static func replace(_ path: String, with other: String) throws(SystemFailure) {
        guard rename(other, path) == 0 else { throw SystemFailure("rename \(other) to \(path)") }
    }

    private static func procPath(_ descriptor: Int32) -> String {
        "/proc/self/fd/\(descriptor)"
    }

    private static func freshPath(in folder: String) -> String {
        "\(folder)/.download-\(String(UInt64.random(in: .min ... .max), radix: 36)).part"
    }
}
