// The one owner of body files: lengths, what of them can be trusted, truncation, removal, and the links
// that hand them to owners. Never their contents: the engine writes those.
import Foundation
import TransferProtocol
import TransferStore

@TransferActor
final class BodyFolder {
    private let home: ServiceHome
    private let boot: String
    let partials: PartialFiles
    private let syncQueue = DispatchQueue(label: "transfer-service.sync")

    /// - Parameter leaving: the folder for partial files that outlive this service with the resume data that
    ///   speaks of them; nil: they stay among its bodies.
    init(home: ServiceHome, boot: String, leaving: String? = nil) {
        self.home = home
        self.boot = boot
        partials = PartialFiles(bodies: home.bodies, leaving: leaving)
    }

    func path(_ task: TaskRecord) -> String { task.pipe ?? home.bodies + "/" + task.body }

    /// Where a session's cookies are kept: not there before there is one.
    func cookieJar(session: Int64) -> String { home.folder + "/cookies/\(session)" }

    /// Where a request body that was given as data is kept until its task ends.
    func ownSourcePath(_ task: TaskRecord) -> String {
        home.bodies + "/" + task.body + Self.ownSourceSuffix
    }

    private static let ownSourceSuffix = ".upload"

    /// Bytes on disk that can be trusted. Under another boot only what was synced is: the tail of a file
    /// may be zeros after the machine has crashed.
    func trustedLength(_ task: TaskRecord) -> Int64 {
        // What went through a pipe is only counted.
        if task.pipe != nil { return task.received }
        let length = Self.length(path(task)) ?? 0
        guard let written = task.boot, written != boot else { return length }
        return min(length, task.syncedOffset)
    }

    /// Makes the file as long as what can be trusted of it.
    func cutToTrusted(_ task: TaskRecord) {
        if task.pipe != nil { return }
        // A partial file that was kept is closed to writing.
        partials.open(task)
        let trusted = trustedLength(task)
        if let length = Self.length(path(task)), length > trusted { truncate(path(task), off_t(trusted)) }
    }

    func remove(_ task: TaskRecord) { unlink(path(task)) }

    func remove(_ partial: PartialRecord) { unlink(home.bodies + "/" + partial.file) }

    /// The disk is full, and this body has a part in it: its last bytes make room for the record that says so.
    /// They are fetched again when there is room.
    func giveWay(_ task: TaskRecord) {
        guard task.pipe == nil, let length = Self.length(path(task)) else { return }
        truncate(path(task), off_t(max(length / 2, length - Self.roomForRecords)))
    }

    /// A few transactions in the database's journal.
    private static let roomForRecords: Int64 = 256 << 10

    /// Somebody may have removed it under a service that runs.
    func makeFolder() { mkdir(home.bodies, 0o700) }

    /// Whether an owner got the file and it is not any more what it was then: so the owner has had it. One
    /// that is gone altogether tells nothing of the owner, who has a name of its own for it.
    func isChangedByOwner(_ task: TaskRecord) -> Bool {
        guard let before = task.handedOver, let now = fingerprint(task) else { return false }
        return before != now
    }

    /// Syncs a finished body off the queue, then says how much is safe.
    func sync(_ task: TaskRecord, then report: @escaping @TransferActor @Sendable (Int64) -> Void) {
        let path = path(task)
        syncQueue.async {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return }
            defer { close(descriptor) }
            var status = stat()
            guard fstat(descriptor, &status) == 0, fdatasync(descriptor) == 0 else { return }
            let length = Int64(status.st_size)
            TransferActor.enqueue { report(length) }
        }
    }

    /// Whether somebody holds the other end of the task's pipe.
    func hasReader(_ task: TaskRecord) -> Bool {
        guard let pipe = task.pipe else { return false }
        let descriptor = open(pipe, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
        if descriptor >= 0 { close(descriptor) }
        return descriptor >= 0
    }

    // MARK: Handing over

    /// What the body file is now, for telling later whether an owner has changed it.
    func fingerprint(_ task: TaskRecord) -> HandedOverFile? {
        var status = stat()
        guard stat(path(task), &status) == 0 else { return nil }
        return HandedOverFile(
            size: Int64(status.st_size), modifiedSeconds: Int64(status.st_mtim.tv_sec),
            modifiedNanoseconds: Int64(status.st_mtim.tv_nsec))
    }

    /// The link an owner gets.
    func deliveryPath(_ task: TaskRecord, client: String) -> String {
        ServiceHome.clientFolder(client, in: home.deliveries) + "/" + DeliveryName(task).text
    }

    /// Links the body for its owner; copies it where links cannot be made. A link that is there already stays:
    /// an owner that lost its connection may be about to move it.
    func handOver(_ task: TaskRecord, client: String) throws(SystemCallError) -> String {
        let target = deliveryPath(task, client: client)
        let source = path(task)
        if link(source, target) == 0 { return target }
        if errno == EEXIST {
            if Self.areOne(source, target) { return target }
            unlink(target)
        } else {
            mkdir(home.deliveries, 0o700)
            mkdir(ServiceHome.clientFolder(client, in: home.deliveries), 0o700)
        }
        if link(source, target) == 0 { return target }
        let error = SystemCallError("link the finished file to", target)
        guard Self.cannotLink.contains(error.code) else { throw error }
        if let code = Self.copyFailure(from: source, to: target) {
            throw SystemCallError("copy the finished file to", target, code: code)
        }
        return target
    }

    /// What says that this file cannot be linked there, ever: no permission for links, too many, a file system
    /// without them, or a folder that somebody has put on another one.
    private static let cannotLink: Set<Int32> = [EPERM, EMLINK, EOPNOTSUPP, EXDEV]

    /// Copies a file; errno when that fails.
    private static func copyFailure(from source: String, to target: String) -> Int32? {
        do {
            try FileManager.default.copyItem(atPath: source, toPath: target)
            return nil
        } catch {
            let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            return Int32(underlying?.code ?? Int(EIO))
        }
    }

    func takeBackHandOver(_ task: TaskRecord, client: String) {
        unlink(deliveryPath(task, client: client))
    }

    // MARK: Cleaning

    /// A database that was set aside is of little use without the files it speaks of: they go with it.
    nonisolated static func setAside(_ home: ServiceHome, beside database: String) throws(SystemCallError) {
        guard rename(home.bodies, database + "-bodies") == 0 || errno == ENOENT else {
            throw SystemCallError("set aside", home.bodies)
        }
        guard mkdir(home.bodies, 0o700) == 0 else { throw SystemCallError("make the folder", home.bodies) }
    }

    /// Removes bodies, links and incoming files that nothing refers to. Only while nothing runs.
    /// - Parameters:
    ///   - isKnownBody: whether a task or resume data refers to that body file.
    ///   - isDelivered: whether an owner may still hold a link of that task.
    func removeOrphans(isKnownBody: (String) -> Bool, isDelivered: (Int64) -> Bool) -> Int {
        var count = 0
        for name in Self.names(home.bodies) {
            let body =
                name.hasSuffix(Self.ownSourceSuffix)
                ? String(name.dropLast(Self.ownSourceSuffix.count)) : name
            if !isKnownBody(body), unlink(home.bodies + "/" + name) == 0 { count += 1 }
        }
        for client in Self.names(home.deliveries) {
            let folder = home.deliveries + "/" + client
            for name in Self.names(folder) {
                let key = DeliveryName.key(in: name)
                if !(key.map(isDelivered) ?? false), unlink(folder + "/" + name) == 0 { count += 1 }
            }
        }
        // A client may be writing one just now; a day later nobody is.
        for name in Self.names(home.incoming) {
            var status = stat()
            let path = home.incoming + "/" + name
            guard lstat(path, &status) == 0, time(nil) - status.st_mtim.tv_sec > 86400 else { continue }
            if unlink(path) == 0 { count += 1 }
        }
        return count
    }

    private static func areOne(_ first: String, _ second: String) -> Bool {
        var one = stat()
        var other = stat()
        return stat(first, &one) == 0 && lstat(second, &other) == 0 && one.st_dev == other.st_dev
            && one.st_ino == other.st_ino
    }

    private static func names(_ folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    private static func length(_ path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }
}
