// The lasting record of what each transfer is for: one small file a wish, in
// one folder. Safe from many threads and processes at once; every call blocks
// for the lock and the disk. It starts and cancels no transfer.

import CLinux
import Foundation

public struct WishStore: Sendable {
    public enum Claim: Sendable, Equatable {
        case made
        /// The same wish is recorded already; the record is unchanged.
        case exists(Wish)
    }

    private let folder: WishFolder
    /// Where files that are not what they should be are kept, if their wish asked for that.
    public var asideFolder: String { folder.path + "/" + Self.aside }
    static let aside = "aside"
    /// Where bytes lie that have arrived for a wish without a destination, until somebody was told.
    var arrivalsFolder: String { folder.path + "/arrived" }
    private let report: @Sendable (DamagedWish) -> Void

    /// - Parameters:
    ///   - path: the folder, made for its owner only if it is missing.
    ///   - report: hears of each record that could not be read and was set aside, on the
    ///     thread that met it and while the store is locked: it must not call the store.
    public init(folder path: String, report: @escaping @Sendable (DamagedWish) -> Void)
        throws(WishStoreError)
    {
        FileDigest.prepare()
        do throws(SystemFailure) {
            folder = try WishFolder(path)
        } catch {
            throw WishStoreError(error)
        }
        self.report = report
    }

    public func wish(session: String, name: String) throws(WishStoreError) -> Wish? {
        try locked { try load(Self.key(session, name)) }
    }

    /// Oldest first.
    public func all() throws(WishStoreError) -> [Wish] {
        try locked { try loadAll() }
    }

    /// Whether a wish of the session has something to run when its file is in place.
    public func hasFinishCommand(session: String) throws(WishStoreError) -> Bool {
        try locked {
            try loadAll(where: { $0.holds(#""onFinish""#) }).contains {
                $0.session == session && $0.onFinish != nil
            }
        }
    }

    /// The wishes that will write the file `name` in `folder`.
    public func wishes(forDestination folder: String, name: String)
        throws(WishStoreError) -> [Wish]
    {
        try locked { try loadRivals(folder: folder, name: name) }
    }

    /// Records the wish, replacing one of the same key.
    public func save(_ wish: Wish) throws(WishStoreError) {
        try locked { try store(wish) }
    }

    /// Does nothing if there is no such wish.
    public func remove(session: String, name: String) throws(WishStoreError) {
        try locked { try folder.remove(Self.key(session, name)) }
    }

    /// Removes the wish if it is as `isWanted` says, while nobody else can change it.
    func remove(session: String, name: String, if isWanted: (Wish) -> Bool) throws(WishStoreError) {
        try locked {
            let key = try Self.key(session, name)
            if let wish = try load(key), isWanted(wish) { try folder.remove(key) }
        }
    }

    /// Reads, changes and writes a wish while nobody else can. `change` must not call the store.
    ///
    /// - Returns: the wish as it is now, or nil if there is none.
    @discardableResult
    public func update(session: String, name: String, _ change: (inout Wish) -> Void)
        throws(WishStoreError) -> Wish?
    {
        try locked {
            guard let old = try load(Self.key(session, name)) else { return nil }
            var new = old
            change(&new)
            guard new.hasKey(of: old) else {
                throw WishStoreError.keyChanged(session: session, name: name)
            }
            if new != old { try store(new) }
            return new
        }
    }

    /// Records a new wish, unless it exists or another one stands in its way.
    ///
    /// - Parameters:
    ///   - isPending: whether somebody still waits for a recorded wish; one that is not pending is
    ///     replaced, and stands in nobody's way. It must not call the store, and is asked only of
    ///     those that are in the way.
    ///   - complete: adds to a wish that nothing stands against what can only be known then, before it
    ///     is recorded. It must not call the store.
    /// - Throws: `.differentAddress` if its name stands for another transfer,
    ///   `.destinationTaken` if another wish will write the same file.
    public func claim(
        _ wish: Wish, isPending: (Wish) -> Bool = { _ in true },
        completing complete: (inout Wish) -> Void = { _ in }
    ) throws(WishStoreError) -> Claim {
        try locked {
            if let existing = try load(Self.key(wish.session, wish.name)), isPending(existing) {
                guard existing.address == wish.address, existing.method == wish.method else {
                    throw WishStoreError.differentAddress(existing: existing)
                }
                return .exists(existing)
            }
            if let folder = wish.destinationFolder {
                let rival = try loadRivals(folder: folder, name: wish.likelyName).first {
                    !$0.hasKey(of: wish) && isPending($0)
                }
                if let rival { throw WishStoreError.destinationTaken(by: rival) }
            }
            var wish = wish
            // What cannot be recorded is not begun.
            try folder.rehearse(Self.encoder.encode(wish), Self.key(wish.session, wish.name))
            complete(&wish)
            try store(wish)
            return .made
        }
    }

    private func locked<Value>(_ body: () throws -> Value) throws(WishStoreError) -> Value {
        do {
            return try folder.locked(body)
        } catch let error as WishStoreError {
            throw error
        } catch let error as FileDigestError {
            throw .noDigest(error)
        } catch let failure as SystemFailure {
            throw WishStoreError(failure)
        } catch {
            // Only encoding is left, and a wish holds nothing that cannot be encoded.
            throw .unavailable(errno: EINVAL, attempted: "encode a wish")
        }
    }

    /// Those that are to write that file; oldest first.
    private func loadRivals(folder: String, name: String) throws -> [Wish] {
        let wanted = String(decoding: try Self.encoder.encode(name), as: UTF8.self)
        // Without a name of its own it follows from the address.
        return try loadAll { $0.holds(wanted) || !$0.holds(#""destinationName""#) }.filter {
            $0.sharesDestination(folder: folder, name: name)
        }
    }

    /// Oldest first.
    /// - Parameter mayMatter: looks at a record as it stands in its file: that takes a tenth of the time of
    ///   decoding it.
    private func loadAll(where mayMatter: (Data) -> Bool = { _ in true }) throws -> [Wish] {
        try folder.keys().compactMap { try load($0, if: mayMatter) }.sorted { $0.created < $1.created }
    }

    private func load(_ key: String, if mayMatter: (Data) -> Bool = { _ in true }) throws -> Wish? {
        guard let data = try folder.read(key), mayMatter(data) else { return nil }
        do {
            let wish = try JSONDecoder().decode(Wish.self, from: data)
            if try Self.key(wish.session, wish.name) == key { return wish }
            try setAside(key, "it belongs to another name")
        } catch is DecodingError {
            try setAside(key, "it is not a whole record")
        }
        return nil
    }

    private func setAside(_ key: String, _ reason: String) throws {
        report(DamagedWish(setAside: try folder.setAside(key), reason: reason))
    }

    private func store(_ wish: Wish) throws {
        try folder.write(Self.encoder.encode(wish), Self.key(wish.session, wish.name))
    }

    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()

    /// A file name that any two strings can have. NUL parts them, so that no other
    /// pair reads the same.
    static func key(_ session: String, _ name: String) throws -> String {
        String(try FileDigest.sha256(of: "\(session)\0\(name)").prefix(WishFolder.keyLength))
    }
}

extension Data {
    /// Whether the text stands somewhere in it, byte for byte.
    fileprivate func holds(_ text: String) -> Bool {
        withUnsafeBytes { clinux_contains($0.baseAddress, $0.count, text) }
    }
}
