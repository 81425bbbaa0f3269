// Puts a finished file where it belongs: all of it or nothing, never over
// another file unless asked to, also across file systems, readable for whom
// the umask says, and on the disk before it returns. It blocks; call it from a
// thread that may wait. Which destination is right is decided elsewhere.

import Glibc

public enum FilePlacement {
    /// Throws what `place` would throw, as far as it can be known beforehand.
    public static func checkDestination(_ path: String, replace: Bool) throws(PlacementError) {
        let destination = DestinationPath(path)
        var status = stat()
        guard stat(destination.folder, &status) == 0 else {
            throw PlacementError(SystemFailure("look at \(destination.folder)"), writing: path)
        }
        guard status.isFolder else { throw .folderMissing(path) }
        // Followed, unlike below: a link to a folder is meant as that folder.
        let leadsToFolder = stat(path, &status) == 0 && status.isFolder
        if leadsToFolder || destination.name.isEmpty { throw .destinationIsFolder(path) }
        if lstat(path, &status) == 0 {
            guard replace else { throw .destinationExists(path) }
        } else if errno != ENOENT {
            throw PlacementError(SystemFailure("look at \(path)"), writing: path)
        }
        guard faccessat(AT_FDCWD, destination.folder, W_OK | X_OK, AT_EACCESS) == 0 else {
            throw PlacementError(SystemFailure("write to \(destination.folder)"), writing: path)
        }
    }

    /// Moves the file at `source` to `path`. When it throws `PlacementError`, the file at
    /// `source` is still there, unless only its new name could not be synced (`.other`).
    ///
    /// - Parameter willAppear: called with the identity that `path` is about to have, just
    ///   before it has it; rarely a second time, with another one. What it throws is thrown
    ///   on, and nothing is placed.
    /// - Throws: `PlacementError`, and whatever `willAppear` throws.
    public static func place(
        _ source: String, at path: String, replace: Bool = false,
        willAppear: (FileIdentity) throws -> Void = { _ in }
    ) throws {
        try checkDestination(path, replace: replace)
        try Relocation(from: source, to: path, replace: replace).run(willAppear)
    }

    /// Whether both names lead to one existing file.
    public static func isSameFile(_ first: String, _ second: String) -> Bool {
        guard let identity = FileIdentity(path: first) else { return false }
        return identity == FileIdentity(path: second)
    }
}

extension stat {
    var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }
}
