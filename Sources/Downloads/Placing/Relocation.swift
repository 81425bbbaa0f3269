// One file on its way to its destination: renamed where that is possible,
// copied where it is not. It expects a destination that was checked; what has
// changed since then shows in the kernel's answer, never in an overwritten file.

import Glibc

struct Relocation {
    private let source: String
    private let path: String
    private let folder: String
    private let replace: Bool
    private let file: OpenFile

    init(from source: String, to path: String, replace: Bool) throws(PlacementError) {
        let opened = try Self.open(source)
        self.source = source
        self.path = path
        self.replace = replace
        folder = DestinationPath(path).folder
        file = opened
    }

    private static func open(_ source: String) throws(PlacementError) -> OpenFile {
        do throws(SystemFailure) {
            return try OpenFile(source, O_RDONLY | O_NOFOLLOW)
        } catch {
            throw PlacementError(reading: error)
        }
    }

    func run(_ willAppear: (FileIdentity) throws -> Void) throws {
        let isOneDevice = FileIdentity(path: folder)?.device == file.identity.device
        // One device may still be two mounts of it: then the rename says EXDEV.
        if try !isOneDevice || !move(willAppear) { try copy(willAppear) }
        try syncFolder()
        DeathPoint.passed()
    }

    /// False where the file systems differ after all.
    private func move(_ willAppear: (FileIdentity) throws -> Void) throws -> Bool {
        try finishSource()
        try willAppear(file.identity)
        do throws(SystemFailure) {
            if !replace {
                try ExclusiveRename.rename(source, to: path)
            } else if rename(source, path) != 0 {
                throw SystemFailure("rename \(source) to \(path)")
            }
            return true
        } catch {
            if error.code == EXDEV { return false }
            throw classified(error)
        }
    }

    /// Mode and bytes first, so that the name never shows less than the whole file.
    private func finishSource() throws(PlacementError) {
        do throws(SystemFailure) {
            try file.setMode(UserMask.newFileMode())
            try file.sync()
        } catch {
            throw PlacementError(reading: error)
        }
    }

    private func copy(_ willAppear: (FileIdentity) throws -> Void) throws {
        let staged = try stage()
        try willAppear(staged.identity)
        do throws(SystemFailure) {
            try staged.publish(as: path, replace: replace)
        } catch {
            throw classified(error)
        }
        // It is in place; that the original cannot be removed makes it no less so.
        unlink(source)
    }

    private func stage() throws(PlacementError) -> StagedCopy {
        do throws(SystemFailure) {
            let staged = try StagedCopy(in: folder)
            try staged.fill(from: file, mode: UserMask.newFileMode())
            return staged
        } catch {
            throw classified(error)
        }
    }

    /// Without this the name may be gone after a power failure. Where the folder may
    /// not be read, or its file system cannot sync one, nothing better can be had.
    private func syncFolder() throws(PlacementError) {
        do throws(SystemFailure) {
            try OpenFile(folder, O_RDONLY | O_DIRECTORY).sync()
        } catch {
            guard error.code == EINVAL || error.code == EACCES else {
                throw .other(errno: error.code, attempted: error.attempt)
            }
        }
    }

    private func classified(_ failure: SystemFailure) -> PlacementError {
        var status = stat()
        // EEXIST tells that the name is taken, not by what.
        if failure.code == EEXIST, stat(path, &status) == 0, status.isFolder {
            return .destinationIsFolder(path)
        }
        // The source may be what is gone; the folder is not to blame for that.
        if failure.code == ENOENT, stat(folder, &status) == 0 {
            return .other(errno: failure.code, attempted: failure.attempt)
        }
        return PlacementError(failure, writing: path)
    }
}
