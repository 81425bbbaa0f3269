// Why a file cannot be put where it should go. Each message names the path,
// the reason and a remedy; none of them means that the received file is lost.

import Glibc

public enum PlacementError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Each carries the destination as it was given.
    case folderMissing(String)
    case notWritable(String)
    case destinationExists(String)
    case destinationIsFolder(String)
    case noSpace(String)
    /// `attempted` follows "cannot ", e.g. "read /tmp/x".
    case other(errno: Int32, attempted: String)

    public var description: String {
        switch self {
        case .folderMissing(let path):
            "Cannot save \(path): there is no folder \(DestinationPath(path).folder). "
                + "Make it, or name a file in another folder."
        case .notWritable(let path):
            "Cannot save \(path): you may not write to the folder \(DestinationPath(path).folder). "
                + "Change its permissions, or name a file in another folder."
        case .destinationExists(let path):
            "Cannot save \(path): it exists already. "
                + "Move it away, name another file, or ask for it to be replaced."
        case .destinationIsFolder(let path):
            "Cannot save \(path): it is a folder. Name a file in it."
        case .noSpace(let path):
            "Cannot save \(path): no space is left for it in \(DestinationPath(path).folder). "
                + "Make room and try again, or name a file on another disk."
        case .other(let code, let attempted):
            "Cannot \(attempted): \(String(cString: strerror(code))). "
                + "Mend that and try again, or name a file in another folder."
        }
    }

    /// A failure while something was written at `destination`.
    init(_ failure: SystemFailure, writing destination: String) {
        switch failure.code {
        case ENOENT, ENOTDIR: self = .folderMissing(destination)
        case EACCES, EPERM, EROFS: self = .notWritable(destination)
        case EEXIST: self = .destinationExists(destination)
        case EISDIR, ENOTEMPTY: self = .destinationIsFolder(destination)
        case ENOSPC, EDQUOT: self = .noSpace(destination)
        default: self = .other(errno: failure.code, attempted: failure.attempt)
        }
    }

    /// A failure to read the file that was to be placed: nothing about the destination.
    init(reading failure: SystemFailure) {
        self = .other(errno: failure.code, attempted: failure.attempt)
    }
}
