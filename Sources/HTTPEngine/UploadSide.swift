// The sending half of a transfer: the file, the socket it leaves by, and how much of it has really left.
// Lives on curl's thread.
import CLinux
import Foundation

final class UploadSide {
    let size: Int64
    let reader: UploadReader
    private let sockets: SocketTable
    private var socket: Int32?
    /// The next bytes to send.
    private var offset: Int64 = 0
    /// What was read elsewhere, and where it begins.
    private var piece: Result<[UInt8], EngineFailure> = .success([])
    private var pieceBegin: Int64 = 0
    /// Somebody else is reading; until that ends the reader is theirs.
    private var isWaiting = false

    init(_ reader: UploadReader, sockets: SocketTable) {
        size = reader.size
        self.sockets = sockets
        self.reader = reader
    }

    /// Bytes given, 0 at the end; nil when the source would have to be waited for.
    func read(into buffer: UnsafeMutableRawBufferPointer, now: Double) throws(EngineFailure) -> Int? {
        if offset >= size { return 0 }
        if isWaiting { return nil }
        let count: Int
        if let had = try takePiece(into: buffer) {
            count = had
        } else if let read = try reader.readAtOnce(into: buffer, at: offset, now: now) {
            count = read
        } else {
            return nil
        }
        offset += Int64(count)
        return count
    }

    /// Where to read elsewhere; nil when that is being done already.
    func beginWaiting() -> Int64? {
        guard !isWaiting else { return nil }
        isWaiting = true
        return offset
    }

    func take(_ piece: Result<[UInt8], EngineFailure>, at offset: Int64) {
        isWaiting = false
        self.piece = piece
        pieceBegin = offset
    }

    private func takePiece(into buffer: UnsafeMutableRawBufferPointer) throws(EngineFailure) -> Int? {
        let rest = try piece.get().dropFirst(Int(max(0, offset - pieceBegin))).prefix(buffer.count)
        guard offset >= pieceBegin, !rest.isEmpty else { return nil }
        rest.withUnsafeBytes { buffer.copyMemory(from: $0) }
        return rest.count
    }

    func seek(to position: Int64) -> Bool {
        guard (0...size).contains(position) else { return false }
        offset = position
        return true
    }

    /// Each request of a chain goes out on its own connection, often one that was there before.
    func connectionIsReady(for transfer: RunningTransfer, localPort: Int32, remotePort: Int32) {
        sockets.letGo(of: transfer)
        socket = sockets.find(localPort: localPort, remotePort: remotePort)
        if let socket { sockets.carry(transfer, on: socket) }
    }

    func socketWillClose() { socket = nil }

    /// Bytes of the current request that libcurl has written, and how many of those the kernel still holds.
    /// After a rewind libcurl's count is the old request's until the new one begins.
    func measure(written: Int64) -> (written: Int64, unsent: Int64) {
        let unsent = socket.map { max(0, clinux_unsent_bytes($0)) } ?? 0
        return (min(written, offset), unsent)
    }

    func isAllSent(written: Int64) -> Bool { written >= size && offset >= size }
}
