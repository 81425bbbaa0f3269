// What a transfer is for: where its file belongs and what it should be. A
// record; it moves nothing. Members added later must be optional, so that
// records of an older version still decode.

import Foundation

public struct Wish: Codable, Sendable, Equatable {
    public var session: String
    /// The task's `taskDescription`; with `session` the record's key.
    public var name: String
    public var address: String
    public var method: String
    /// Absolute; nil for a transfer that leaves no file.
    public var destinationFolder: String?
    /// Nil: the server suggests.
    public var destinationName: String?
    public var replace: Bool
    /// Expected SHA-256 in lower-case hexadecimal.
    public var sha256: String?
    /// Expected length in bytes.
    public var length: Int64?
    /// The request's fields; nil where they are not the wish's to repeat.
    public var headers: [String: String]?
    /// A file that is not what it should be is kept aside; otherwise it is removed.
    public var keepsRejected: Bool?
    /// The record stays as long as the placed file does, so that the wish is not fulfilled twice.
    public var remembersPlace: Bool?
    /// The tasks that still owe this wish an outcome; several when it was queued blindly.
    public var tasks: [Int]?
    /// It has its outcome. The record stays until the service has forgotten the tasks: until then a crash can
    /// make the outcome come once more.
    public var isClosed: Bool?
    /// From a pause, for the next start of this wish.
    public var resumeData: Data?
    public var created: Date
    /// The file that is about to get its final name. If a crash comes between that
    /// and the end of this record, it tells that the file there is this wish's.
    public var placing: FileIdentity?
    /// What to run when the file is in place; nil again when it has been started.
    public var onFinish: FinishCommand?
    /// The file's whole path, since the server may have named it; set with `placing`.
    public var place: String?
    /// Why what arrived was not the file, for whoever has to say so after a crash.
    public var rejection: String?

    public init(
        session: String, name: String, address: String, method: String = "GET",
        destinationFolder: String? = nil, destinationName: String? = nil, replace: Bool = false,
        sha256: String? = nil, resumeData: Data? = nil, created: Date = Date(),
        placing: FileIdentity? = nil
    ) {
        self.session = session
        self.name = name
        self.address = address
        self.method = method
        self.destinationFolder = destinationFolder
        self.destinationName = destinationName
        self.replace = replace
        self.sha256 = sha256
        self.resumeData = resumeData
        self.created = created
        self.placing = placing
    }

    /// The file's name, as far as it can be known before the server has answered.
    public var likelyName: String {
        destinationName ?? SuggestedFilename(address: URL(string: address)).name
    }

    /// Whether both will write the same file, as far as that can be known now; two
    /// spellings of one folder are one.
    func sharesDestination(folder: String?, name: String?) -> Bool {
        guard let destinationFolder, let folder, let name, likelyName == name else { return false }
        return destinationFolder == folder || FilePlacement.isSameFile(destinationFolder, folder)
    }

    /// Its file has been put in place, and is there: that file, not another one of the name.
    public var isPlaced: Bool {
        guard let place, let placing else { return false }
        return FileIdentity(path: place) == placing
    }

    func hasKey(of other: Wish) -> Bool {
        session == other.session && name == other.name
    }
}
