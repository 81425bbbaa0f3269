// What somebody wants: an address, how to ask for it, where the file belongs and what it must be. Two equal
// ones are one wish. A value.

import BackgroundURLSession
import Foundation

public struct DownloadRequest: Sendable, Hashable {
    public let url: URL
    public var method: String
    public var headers: [String: String]
    /// An absolute path, since a process in another folder may have to put the file there; nil: the answer is
    /// the bytes.
    public let folder: String?
    /// The file's name in `folder`; nil: the server suggests.
    public var filename: String?
    /// Whether a file that is there may be replaced.
    public var replaces: Bool
    /// In bytes.
    public var length: Int64?
    /// Hexadecimal.
    public var sha256: String?
    /// A file that is not what it should be is kept aside; otherwise it is removed.
    public var keepsRejected: Bool
    /// The task's `taskDescription`, by which a later process knows the wish. One name is one wish.
    public var name: String

    /// - Parameters:
    ///   - folder: a relative one is meant from where the process is now.
    ///   - name: nil makes one of everything that tells wishes apart, so that equal wishes have one name in
    ///     every process.
    public init(
        _ url: URL, method: String = "GET", headers: [String: String] = [:], folder: String? = nil,
        filename: String? = nil, replaces: Bool = false, length: Int64? = nil, sha256: String? = nil,
        keepsRejected: Bool = false, name: String? = nil
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.folder = folder.map {
            $0.hasPrefix("/") ? $0 : FileManager.default.currentDirectoryPath + "/" + $0
        }
        self.filename = filename
        self.replaces = replaces
        self.length = length
        self.sha256 = sha256?.lowercased()
        self.keepsRejected = keepsRejected
        self.name = name ?? ""
        if name == nil { self.name = derivedName }
    }

    private var derivedName: String {
        let parts =
            [url.absoluteString, method, folder ?? "\u{1}", filename ?? "\u{1}", sha256 ?? "\u{1}"]
            + ["\(replaces) \(length ?? -1) \(keepsRejected)"]
            + headers.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
        // Should libcrypto refuse, the address alone must do: equal wishes still have one name.
        let digest = (try? FileDigest.sha256(of: parts.joined(separator: "\0"))) ?? url.absoluteString
        return (filename ?? SuggestedFilename(address: url).name) + " " + digest.prefix(16)
    }

    var urlRequest: URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = method
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        return request
    }

    // MARK: As a record

    func wish(session: String) -> Wish {
        var wish = Wish(
            session: session, name: name, address: url.absoluteString, method: method,
            destinationFolder: folder,
            destinationName: filename, replace: replaces, sha256: sha256)
        wish.headers = headers
        wish.length = length
        wish.keepsRejected = keepsRejected ? true : nil
        return wish
    }

    /// Nil when the record's address is none.
    init?(_ wish: Wish) {
        guard let url = URL(string: wish.address, encodingInvalidCharacters: false) else { return nil }
        self.init(
            url, method: wish.method, headers: wish.headers ?? [:], folder: wish.destinationFolder,
            filename: wish.destinationName, replaces: wish.replace, length: wish.length, sha256: wish.sha256,
            keepsRejected: wish.keepsRejected ?? false, name: wish.name)
    }
}
