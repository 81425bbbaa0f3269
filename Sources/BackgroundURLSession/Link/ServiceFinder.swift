// Where the service's executable is. Looks, starts nothing.
import Foundation

struct ServiceFinder {
    let access: ServiceAccess

    /// In the order in which they are tried. A path that somebody chose is the only one.
    var candidates: [String] {
        if let chosen = access.environment["URLSESSIOND_PATH"], !chosen.isEmpty {
            return [URL(fileURLWithPath: chosen).path]
        }
        let folder = access.executableFolder
        let prefix = URL(fileURLWithPath: folder).deletingLastPathComponent().path
        let path = (access.environment["PATH"] ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
        return [folder + "/urlsessiond", (prefix == "/" ? "" : prefix) + "/libexec/urlsessiond"]
            + path.map { $0 + "/urlsessiond" }
    }

    func find() throws(ServiceError) -> String {
        let candidates = candidates
        guard let found = candidates.first(where: isFile) else {
            throw .serviceNotFound(searched: candidates)
        }
        return found
    }

    private func isFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}
