// The sending half of a transfer: the file, the socket it leaves by, and how much of it has really left.
// Lives on curl's thread.
import CLinux
import Foundation

final class UploadSide {
    let size: Int64
    private let reader: UploadReader
    private let sockets: SocketTable
    private var socket: Int32?

    init(_ file: UploadFile, sockets: SocketTable) throws(EngineFailure) {
        size = file.size
        self.sockets = sockets
        reader = try UploadReader(file)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, now: Double) throws(EngineFailure) -> Int {
        try reader.read(into: buffer, now: now)
    }

    func seek(to offset: Int64) -> Bool { reader.seek(to: offset) }

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
        return (min(written, reader.offset), unsent)
    }

    func isAllSent(written: Int64) -> Bool { written >= size && reader.isAtEnd }
}
