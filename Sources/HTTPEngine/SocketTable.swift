// Which sockets are open, and which upload each of them carries. libcurl names a transfer's socket only once
// the transfer is over (measured in 7.88: CURLINFO_ACTIVESOCKET), and a connection outlives the transfer
// that opened it. Lives on curl's thread, as long as the engine.
import CCurl
import Foundation

final class SocketTable {
    private var open: Set<Int32> = []
    private var carried: [Int32: RunningTransfer] = [:]

    func didOpen(_ socket: Int32) { open.insert(socket) }

    /// The open socket that is bound to this local port and connected to this remote one.
    func find(localPort: Int32, remotePort: Int32) -> Int32? {
        open.first {
            Self.port($0, getsockname) == localPort && Self.port($0, getpeername) == remotePort
        }
    }

    func carry(_ transfer: RunningTransfer, on socket: Int32) { carried[socket] = transfer }

    func letGo(of transfer: RunningTransfer) {
        for (socket, one) in carried where one === transfer { carried[socket] = nil }
    }

    /// The last moment to read what the server said before it closed.
    func willClose(_ socket: Int32) {
        open.remove(socket)
        carried.removeValue(forKey: socket)?.socketWillClose(socket)
    }

    private static func port(
        _ socket: Int32,
        _ ask: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> Int32? {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { pointer in
                // The port lies at the same place in both families' addresses.
                let result = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    ask(socket, $0, &length)
                }
                return result == 0 ? Int32(UInt16(bigEndian: pointer.pointee.sin6_port)) : nil
            }
        }
    }
}
