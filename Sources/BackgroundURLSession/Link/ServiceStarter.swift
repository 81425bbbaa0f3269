// One connection to the service, started if nobody listens. One path for every client: under the start lock
// it binds the socket itself and hands it to the new service as descriptor 3, so that nobody ever waits for
// the service to be ready, and ten clients at once start one. Blocks; any thread.
import CLinux
import Foundation
import TransferProtocol
import TransferService

struct ServiceStarter {
    let access: ServiceAccess
    private var home: ServiceHome { access.home }

    /// A connected descriptor, and whether the service was started for it; nil when nobody listens and
    /// `starting` is false.
    func open(starting: Bool) throws(ServiceError) -> (descriptor: Int32, hasStarted: Bool)? {
        if access.isHosted { return (try connectWithin(), false) }
        if let descriptor = try connect() { return (descriptor, false) }
        guard starting else { return nil }
        do {
            try home.prepare()
            let lock = try FileLock(path: home.startLock, wait: true)
            defer { lock?.release() }
            // Another client may have started it while this one waited for the lock.
            if let descriptor = try connect() { return (descriptor, false) }
            return (try start(), true)
        } catch let error as ServiceError {
            throw error
        } catch let error as SystemCallError {
            throw ServiceError(error)
        } catch {
            throw ServiceError.refused(message: "\(error)")
        }
    }

    private func connectWithin() throws(ServiceError) -> Int32 {
        do {
            return try HostedService.connect()
        } catch let error as SystemCallError {
            throw ServiceError(error)
        } catch {
            throw .refused(message: "This process could not begin its transfers: \(error)")
        }
    }

    /// Nil when nobody listens.
    private func connect() throws(ServiceError) -> Int32? {
        let descriptor: Int32
        do {
            descriptor = try UnixSocket.connect(to: home.socket)
        } catch {
            if error.code == EINTR { return try connect() }
            guard error.code == ENOENT || error.code == ECONNREFUSED || error.code == ENOTDIR else {
                throw ServiceError(error)
            }
            return nil
        }
        guard let peer = UnixSocket.peer(of: descriptor), peer.uid == geteuid() else {
            let uid = UnixSocket.peer(of: descriptor)?.uid
            close(descriptor)
            throw .otherUser(path: home.socket, uid: uid)
        }
        return descriptor
    }

    /// With the start lock held and nobody listening. Connects while the listener is surely there: a service
    /// that ends at once must look like one that cut this client off.
    private func start() throws -> Int32 {
        try removeStaleSocket()
        let listener = try UnixSocket.listen(at: home.socket)
        defer { close(listener) }
        let descriptor = try UnixSocket.connect(to: home.socket)
        do {
            try spawn(listener)
        } catch {
            close(descriptor)
            unlink(home.socket)
            throw error
        }
        return descriptor
    }

    private func removeStaleSocket() throws {
        do throws(SystemCallError) {
            try UnixSocket.removeStale(at: home.socket)
        } catch {
            throw error.code == ENOTSOCK ? ServiceError.notASocket(path: error.path) : ServiceError(error)
        }
    }

    private func spawn(_ listener: Int32) throws {
        let path = try ServiceFinder(access: access).find()
        let log = Glibc.open(home.log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard log >= 0 else { throw SystemCallError("open the log", home.log) }
        defer { close(log) }
        var code: Int32 = 0
        for _ in 0..<20 {
            code = spawn(path, listener: listener, log: log)
            // Somebody, an installer or a child of theirs, still has the file open for writing.
            guard code == ETXTBSY else { break }
            usleep(50_000)
        }
        guard code == 0 else { throw ServiceError.serviceNotStartable(path: path, code: code) }
    }

    private func spawn(_ path: String, listener: Int32, log: Int32) -> Int32 {
        withCStrings(["urlsessiond", "--listen-fd", "3"]) { arguments in
            withCStrings(childEnvironment.map { "\($0.key)=\($0.value)" }.sorted()) { environment in
                clinux_spawn_detached(path, arguments, environment, home.folder, log, listener)
            }
        }
    }

    /// The service is born clean: of its starter's environment it gets only what says where and who it is.
    private var childEnvironment: [String: String] {
        let kept = ["PATH", "HOME", "LANG", "TZ", "XDG_STATE_HOME"]
        var environment = access.environment.filter { name, _ in
            kept.contains(name) || name.hasPrefix("URLSESSIOND_")
        }
        environment["URLSESSIOND_HOME"] = home.folder
        return environment
    }
}

/// Calls `body` with a null-terminated array of C strings.
private func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
    defer { pointers.forEach { free($0) } }
    pointers.append(nil)
    return pointers.withUnsafeBufferPointer { buffer in
        guard let base = buffer.baseAddress else { preconditionFailure("an array of one at least") }
        return body(base)
    }
}
