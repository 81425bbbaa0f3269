// Why a task ended badly, in the terms of NSURLErrorDomain, so that the client only has to rebuild it.
import Foundation

/// The error a task ended with.
public struct ErrorRecord: Codable, Sendable, Equatable, Error {
    public var domain: String
    /// One of NSURLErrorDomain's codes, such as -1001.
    public var code: Int
    /// A sentence for a person: what failed, why, and what helps. Never holds a query string or credentials.
    public var message: String
    public var url: String?
    /// The file concerned, when the error is about one.
    public var path: String?
    /// `NSURLErrorBackgroundTaskCancelledReasonKey`: 0 user force-quit, 1 updates disabled, 2 insufficient
    /// resources; nil when the app cancelled by itself.
    public var cancelledReason: Int?
    public var resumeData: Data?

    public init(
        _ code: Int, _ message: String, url: String? = nil, path: String? = nil,
        domain: String = "NSURLErrorDomain"
    ) {
        self.domain = domain
        self.code = code
        self.message = message
        self.url = url
        self.path = path
    }
}

/// The codes of NSURLErrorDomain that the service gives.
public enum ErrorCode {
    public static let unknown = -1
    public static let backgroundSessionInUse = -996
    public static let backgroundSessionDisconnected = -997
    public static let cancelled = -999
    public static let badURL = -1000
    public static let timedOut = -1001
    public static let unsupportedURL = -1002
    public static let cannotFindHost = -1003
    public static let cannotConnect = -1004
    public static let connectionLost = -1005
    public static let dnsFailed = -1006
    public static let tooManyRedirects = -1007
    public static let badServerResponse = -1011
    public static let authenticationRequired = -1013
    public static let cannotDecodeContent = -1016
    public static let fileDoesNotExist = -1100
    public static let fileIsDirectory = -1101
    public static let noPermissionToReadFile = -1102
    public static let secureConnectionFailed = -1200
    public static let certificateHasBadDate = -1201
    public static let certificateUntrusted = -1202
    public static let certificateNotYetValid = -1204
    public static let clientCertificateRejected = -1205
    public static let clientCertificateRequired = -1206
    public static let cannotCreateFile = -3000
    public static let cannotOpenFile = -3001
    public static let cannotWriteToFile = -3003
}
