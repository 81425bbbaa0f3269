// Why a mode gave up: a sentence, and the exit status that says its kind to programs.
import BackgroundURLSession
import Downloads
import Foundation

enum ExitStatus {
    static let success: Int32 = 0
    /// A transfer failed, or was not what it should be.
    static let failure: Int32 = 1
    /// sysexits.h: EX_USAGE, EX_UNAVAILABLE, EX_TEMPFAIL.
    static let usage: Int32 = 64
    static let unavailable: Int32 = 69
    static let tryLater: Int32 = 75
    /// Ended by Ctrl-C, as a shell counts it.
    static let interrupted: Int32 = 130
}

struct CommandFailure: Error {
    var message: String
    var status: Int32

    init(_ message: String, status: Int32) {
        self.message = message
        self.status = status
    }

    init(_ error: any Error) {
        switch error {
        case let failure as CommandFailure:
            self = failure
        case ServiceError.sessionInUse(let identifier, let pid):
            self.init(
                "The session \(identifier) is in use by process \(pid.map(String.init) ?? "unknown"). Wait until "
                    + "that has ended, or use another session with --session.", status: ExitStatus.tryLater)
        case let error as ServiceError:
            self.init(error.description, status: ExitStatus.unavailable)
        case let error as PlacementError:
            self.init(Self.words(error), status: ExitStatus.usage)
        case let error as WishStoreError:
            self.init(error)
        default:
            self.init("\(error)", status: ExitStatus.failure)
        }
    }

    private init(_ error: WishStoreError) {
        switch error {
        case .destinationTaken(let other):
            self.init(
                "Another transfer, \(other.name.quoted), will be saved as \(other.likelyName) in "
                    + "\(other.destinationFolder ?? "-"). Name another file with -o.",
                status: ExitStatus.usage)
        case .differentAddress(let existing):
            self.init(
                "\(existing.name.quoted) is another transfer already, of "
                    + "\(AddressArgument.shown(existing.address)). Give this one another name with --name.",
                status: ExitStatus.usage)
        case .keyChanged, .unavailable, .noDigest:
            self.init(error.description, status: ExitStatus.unavailable)
        }
    }

    private static func words(_ error: PlacementError) -> String {
        if case .destinationExists(let path) = error {
            return "\(path) exists already. Replace it with --force, or name another file with -o."
        }
        return error.description
    }
}
