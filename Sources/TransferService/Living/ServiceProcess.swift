// The service as a process: takes the lock, cleans its surroundings, serves until it leaves.
import CLinux
import Foundation
import TransferProtocol

public enum ServiceProcess {
    /// How long a holder of the lock may take to leave, in seconds.
    private static let patience = 30.0
    /// Bytes that the heap may hold free at its end.
    private static let heapsEnd = 512 << 10

    /// Becomes the service of `home` on a listening socket, takes up what an earlier one left, and serves.
    /// - Parameters:
    ///   - ownsSocket: whether the socket goes with this service; systemd keeps its own.
    ///   - environment: sets its numbers; see `ServiceSettings`.
    public static func run(
        home: ServiceHome, listening: Int32, ownsSocket: Bool, environment: [String: String]
    ) throws -> Never {
        Surroundings.clean()
        clinux_bound_heap(heapsEnd)
        // Before there is a log, too: whoever starts it by hand looks here.
        let complaints = ServiceSettings.complaints(environment)
        if !ServiceLog.isOpen(at: home.log) { complaints.forEach(ServiceLog.note) }
        try home.prepare()
        // Before the wait for the lock: whoever holds it may be replaced by a third one meanwhile.
        let socket = ownsSocket ? SocketFile(path: home.socket) : nil
        guard let lock = try InstanceLock.take(home, patience: patience) else {
            throw SystemCallError(
                "become the service: another one holds the lock", home.instanceLock, code: EBUSY)
        }
        do {
            try ServiceLog.open(at: home.log)
        } catch {
            // Said wherever the starter listens; transfers matter more than their log.
            ServiceLog.note("\(error)")
        }
        complaints.forEach(ServiceLog.note)
        let idleSeconds = ServiceSettings.idleSeconds.value(environment)
        try TransferActor.queue.sync {
            try TransferActor.assumeIsolated {
                try Service.begin(
                    home: home, lock: lock, listening: listening, socket: socket, idleSeconds: idleSeconds)
            }
        }
        dispatchMain()
    }
}
