// Sorts the engine's failures: which are worth another attempt, and which error a task ends with for the
// rest. Pure.
import Foundation
import HTTPEngine
import TransferProtocol

enum FailurePolicy {
    /// What the machine makes of an attempt's outcome.
    static func sort(_ outcome: EngineOutcome, url: String) -> AttemptEnd {
        switch outcome.result {
        case .success: .finished
        case .failure(let failure): sort(failure, url: url)
        }
    }

    private static func sort(_ failure: EngineFailure, url: String) -> AttemptEnd {
        func broken(_ code: Int, _ message: String) -> AttemptEnd {
            .broken(ErrorRecord(code, message, url: url, path: failure.path))
        }
        let text = failure.message
        switch failure.kind {
        case .cancelled: return .stopped
        case .refused: return .refused
        // Weather: SEMANTICS 16 has these retried until the resource timeout.
        case .cannotResolveHost, .cannotResolveProxy:
            return .lost(code: ErrorCode.cannotFindHost, reason: text)
        case .cannotConnect: return .lost(code: ErrorCode.cannotConnect, reason: text)
        case .connectionLost, .truncated: return .lost(code: ErrorCode.connectionLost, reason: text)
        case .timedOut: return .lost(code: ErrorCode.timedOut, reason: text)
        // What trying again cannot mend.
        case .badURL, .badRequest: return broken(ErrorCode.badURL, text)
        case .unsupportedScheme: return broken(ErrorCode.unsupportedURL, text)
        case .tooManyRedirects: return broken(ErrorCode.tooManyRedirects, text)
        case .keyNotPinned: return broken(ErrorCode.certificateUntrusted, text)
        case .clientCertificateRequired: return broken(ErrorCode.clientCertificateRequired, text)
        case .clientCertificateRejected: return broken(ErrorCode.clientCertificateRejected, text)
        case .proxyAuthenticationRequired: return broken(ErrorCode.authenticationRequired, text)
        case .certificateUntrusted, .certificateWrongHost:
            return broken(ErrorCode.certificateUntrusted, text)
        case .certificateExpired: return broken(ErrorCode.certificateHasBadDate, text)
        case .certificateNotYetValid: return broken(ErrorCode.certificateNotYetValid, text)
        case .tlsFailed: return broken(ErrorCode.secureConnectionFailed, text)
        case .badResponse: return broken(ErrorCode.badServerResponse, text)
        case .cannotDecode: return broken(ErrorCode.cannotDecodeContent, text)
        case .bodyFileCannotOpen: return broken(ErrorCode.cannotCreateFile, text)
        case .bodyFileCannotWrite, .bodyFileNoSpace: return broken(ErrorCode.cannotWriteToFile, text)
        case .readerGone:
            return broken(
                ErrorCode.backgroundSessionDisconnected,
                "the process that should have had the answer has left; make the task again")
        case .sourceMissing:
            return broken(
                ErrorCode.fileDoesNotExist,
                "the file to upload, \(failure.path ?? "-"), was removed before it was sent; put it back and "
                    + "upload it again")
        case .sourceChanged:
            return broken(
                ErrorCode.cannotOpenFile,
                "the file to upload, \(failure.path ?? "-"), was changed after the upload was asked for; upload "
                    + "it again")
        case .sourceUnreadable:
            return broken(
                ErrorCode.noPermissionToReadFile,
                "the file to upload, \(failure.path ?? "-"), cannot be read: \(text)")
        case .internal: return broken(ErrorCode.unknown, text)
        }
    }
}
