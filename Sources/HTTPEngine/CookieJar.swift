// A jar of cookies that transfers share, and its file. An easy handle that never performs holds the cookies,
// so that replacing, expiring and parsing are libcurl's. Lives on curl's thread.
import CCurl
import Foundation

final class CookieJar {
    private let path: String?
    /// Nil when it is closed: transfers that are under way may still know it.
    private var easy: UnsafeMutableRawPointer?
    private let owner: ThreadOwner

    /// - Parameter path: read now if it is there; nil: a jar in memory.
    init(path: String?, owner: ThreadOwner) {
        owner.check()
        self.path = path
        self.owner = owner
        easy = curl_easy_init()
        guard let path, let text = try? String(contentsOfFile: path, encoding: .utf8) else { return }
        for line in text.split(separator: "\n") { CookieLines.add(String(line), to: easy) }
    }

    var lines: [String] { CookieLines.of(easy) }

    /// Takes a transfer's changes over, on disk too. One that was emptied meanwhile takes nothing.
    func take(_ changes: CookieChanges) {
        owner.check()
        guard easy != nil, !changes.isEmpty else { return }
        for line in changes.removed { CookieLines.remove(line, from: easy) }
        for line in changes.added { CookieLines.add(line, to: easy) }
        save()
    }

    /// By a new file in the old one's place: a crash leaves the one or the other. A disk without room costs
    /// the cookies their life beyond this process, and nothing else.
    private func save() {
        guard let path else { return }
        let folder = (path as NSString).deletingLastPathComponent
        mkdir(folder, 0o700)
        let fresh = path + ".new"
        unlink(fresh)
        let descriptor = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return }
        let text = Data(lines.map { $0 + "\n" }.joined().utf8)
        let isWritten = text.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } == text.count
        Foundation.close(descriptor)
        if isWritten { rename(fresh, path) } else { unlink(fresh) }
    }

    func close() {
        owner.check()
        if let easy { curl_easy_cleanup(easy) }
        easy = nil
    }
}

/// The cookies of a handle, as lines in Netscape's format.
enum CookieLines {
    static func of(_ easy: UnsafeMutableRawPointer?) -> [String] {
        guard let easy else { return [] }
        var list: UnsafeMutablePointer<curl_slist>?
        guard ccurl_get_list(easy, CURLINFO_COOKIELIST, &list) == CURLE_OK else { return [] }
        defer { curl_slist_free_all(list) }
        var lines: [String] = []
        var next = list
        while let one = next {
            if let data = one.pointee.data { lines.append(String(cString: data)) }
            next = one.pointee.next
        }
        return lines
    }

    static func add(_ line: String, to easy: UnsafeMutableRawPointer?) {
        if let easy { ccurl_set_string(easy, CURLOPT_COOKIELIST, line) }
    }

    /// The same cookie, long expired: libcurl has no other word for it.
    static func remove(_ line: String, from easy: UnsafeMutableRawPointer?) {
        var fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        guard fields.count >= 6 else { return }
        fields[4] = "1"
        add(fields.joined(separator: "\t"), to: easy)
    }

    static func removeAll(from easy: UnsafeMutableRawPointer?) { add("ALL", to: easy) }
}
