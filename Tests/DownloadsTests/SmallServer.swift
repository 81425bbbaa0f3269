// A server on loopback that takes every connection and gives one answer to all, or none: then whatever is asked
// of it goes on. A thread for all.

import Foundation

final class SmallServer {
    let address: URL
    private let listener: Int32

    /// - Parameter answer: status line, fields and body; nil says nothing.
    init(answer: String? = nil) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = withUnsafeMutablePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening,
            let address = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: place.sin_port))/book")
        else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        self.address = address
        guard let answer else { return }
        Thread {
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                var request = [UInt8](repeating: 0, count: 1 << 16)
                _ = recv(connection, &request, request.count, 0)
                _ = send(connection, answer, answer.utf8.count, Int32(MSG_NOSIGNAL))
                close(connection)
            }
        }.start()
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }
}
