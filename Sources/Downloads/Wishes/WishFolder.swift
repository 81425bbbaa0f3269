// The store's folder on disk: bytes under file names, replaced whole, and the
// lock that keeps processes and threads apart. It knows nothing of wishes.
// Every method but `locked` is to be called inside `locked`.

import Foundation
import Glibc

struct WishFolder: Sendable {
    static let suffix = ".json"

    let path: String

    /// Makes the folder if it is missing: for its owner only, like all in it.
    init(_ path: String) throws(SystemFailure) {
        self.path = path
        try? FileManager.default.createDirectory(
            atPath: DestinationPath(path).folder, withIntermediateDirectories: true)
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw SystemFailure("make the folder \(path)")
        }
        guard chmod(path, 0o700) == 0 else { throw SystemFailure("set the mode of \(path)") }
    }

    /// Each call opens the lock file anew: flock(2) keeps open files apart, and so
    /// threads too. It ends when the file is closed, also by a kill.
    func locked<Value>(_ body: () throws -> Value) throws -> Value {
        let file = try OpenFile("\(path)/lock", O_CREAT | O_RDWR, mode: 0o600)
        while flock(file.descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw SystemFailure("lock \(path)/lock") }
        }
        return try withExtendedLifetime(file, body)
    }

    func keys() throws(SystemFailure) -> [String] {
        guard let folder = opendir(path) else { throw SystemFailure("list \(path)") }
        defer { closedir(folder) }
        var keys: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(Self.suffix) { keys.append(String(name.dropLast(Self.suffix.count))) }
        }
        return keys.sorted()
    }

    /// Nil if there is no such record.
    func read(_ key: String) throws(SystemFailure) -> Data? {
        do throws(SystemFailure) {
            var data = Data()
            try OpenFile(file(key), O_RDONLY).forEachChunk(of: 1 << 16) { bytes throws(SystemFailure) in
                data.append(contentsOf: bytes)
            }
            return data
        } catch  where error.code == ENOENT {
            return nil
        }
    }

    /// After a crash there is the old record or the new one, never half of either.
    func write(_ data: Data, _ key: String) throws(SystemFailure) {
        let passing = "\(path)/\(key).new"
        try fill(passing, Array(data))
        DeathPoint.passed()
        guard rename(passing, file(key)) == 0 else {
            throw SystemFailure("rename \(passing) to \(file(key))")
        }
        try sync()
        DeathPoint.passed()
    }

    /// Whether a record of that size could be written now, without what makes it last.
    func rehearse(_ data: Data, _ key: String) throws(SystemFailure) {
        try OpenFile("\(path)/\(key).new", O_CREAT | O_TRUNC | O_WRONLY, mode: 0o600).write(Array(data))
    }

    func remove(_ key: String) throws(SystemFailure) {
        guard unlink(file(key)) == 0 || errno == ENOENT else {
            throw SystemFailure("remove \(file(key))")
        }
        try sync()
        DeathPoint.passed()
    }

    /// Keeps the record for inspection under a name that no record has; earlier
    /// damaged ones stay too. Returns its new path.
    func setAside(_ key: String) throws(SystemFailure) -> String {
        var number = 1
        while true {
            let aside = "\(path)/\(key)\(number == 1 ? "" : ".\(number)").damaged"
            do throws(SystemFailure) {
                try ExclusiveRename.rename(file(key), to: aside)
                return aside
            } catch  where error.code == EEXIST {
                number += 1
            }
        }
    }

    private func file(_ key: String) -> String { "\(path)/\(key)\(Self.suffix)" }

    private func fill(_ path: String, _ bytes: [UInt8]) throws(SystemFailure) {
        let file = try OpenFile(path, O_CREAT | O_TRUNC | O_WRONLY, mode: 0o600)
        try file.write(bytes)
        try file.sync()
    }

    private func sync() throws(SystemFailure) {
        try OpenFile(path, O_RDONLY | O_DIRECTORY).sync()
    }
}
