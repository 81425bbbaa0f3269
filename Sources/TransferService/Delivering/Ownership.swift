// Who owns which session, and who waits for it. Ownership ends with the connection, at once, however the
// owner died; before a claim is refused, the owner's connection is read to its end.
import Foundation
import TransferProtocol
import TransferStore

@TransferActor
final class Ownership {
    /// Attachments that only queue are over in a moment: everybody waits that long for them.
    static let patienceWithQueueing = 10.0

    private let time: any TimeSource
    private var owners: [Int64: Owner] = [:]
    private var claims: [Int64: [Claim]] = [:]
    private var lastClaim = 0

    /// An attach request that waits.
    private struct Claim {
        var number: Int
        var connection: Connection
        var granted: () -> Void
        var refused: (RPCError) -> Void
    }

    init(time: any TimeSource) { self.time = time }

    func owner(of session: Int64) -> Owner? { owners[session] }

    var all: [Owner] { Array(owners.values) }

    func owner(on connection: Connection) -> Owner? { owners.values.first { $0.connection === connection } }

    /// Whether that connection waits for a session.
    func isClaiming(_ connection: Connection) -> Bool {
        claims.values.contains { $0.contains { $0.connection === connection } }
    }

    /// Calls `granted` when the session is free for that connection: now, or within `patience` seconds;
    /// otherwise `refused`.
    func claim(
        _ session: Int64, for connection: Connection, patience: Double,
        granted: @escaping () -> Void, refused: @escaping (RPCError) -> Void
    ) {
        // What a dead or leaving owner has written is taken first; its end frees the session.
        owners[session]?.connection.readToEnd()
        guard let owner = owners[session] else { return granted() }
        let seconds = owner.purpose == .queue ? max(patience, Self.patienceWithQueueing) : patience
        guard seconds > 0 else { return refused(Self.inUse(by: owner)) }
        lastClaim += 1
        let number = lastClaim
        claims[session, default: []].append(
            Claim(number: number, connection: connection, granted: granted, refused: refused))
        time.ring(after: min(seconds, 3600)) { [weak self] in self?.giveUp(number, session) }
    }

    /// Refuses what takes something away from whoever owns the session. Who only queues has no claim to results.
    func requireUnowned(_ session: Int64) throws(RPCError) {
        owners[session]?.connection.readToEnd()
        if let owner = owners[session], owner.purpose == .own { throw Self.inUse(by: owner) }
    }

    func take(_ session: Int64, _ owner: Owner) { owners[session] = owner }

    /// It never became the owner after all.
    func giveBack(_ session: Int64, _ owner: Owner) {
        guard owners[session] === owner else { return }
        owners[session] = nil
        passOn(session)
    }

    /// The connection has ended: its session passes to the next who waits.
    func leave(_ connection: Connection) {
        for (session, waiting) in claims {
            let left = waiting.filter { $0.connection !== connection }
            claims[session] = left.isEmpty ? nil : left
        }
        guard let owner = owner(on: connection) else { return }
        owners[owner.session.id] = nil
        passOn(owner.session.id)
    }

    private func passOn(_ session: Int64) {
        guard owners[session] == nil, var waiting = claims[session], !waiting.isEmpty else { return }
        let next = waiting.removeFirst()
        claims[session] = waiting.isEmpty ? nil : waiting
        next.granted()
        passOn(session)
    }

    private func giveUp(_ number: Int, _ session: Int64) {
        // Once more before saying no: the owner may have died in silence. Then the session is passed on in turn.
        owners[session]?.connection.readToEnd()
        guard let owner = owners[session],
            let index = claims[session]?.firstIndex(where: { $0.number == number }),
            let claim = claims[session]?.remove(at: index)
        else { return }
        claim.refused(Self.inUse(by: owner))
    }

    private static func inUse(by owner: Owner) -> RPCError {
        .refused(
            .sessionInUse,
            "the session \"\(owner.session.identifier)\" is in use by process \(owner.connection.peer)",
            pid: owner.connection.peer)
    }
}
