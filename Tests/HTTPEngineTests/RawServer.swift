// A TCP server that answers with raw bytes as each test scripts them: a thread for each connection, a port
// from the kernel. It knows just enough HTTP to read a request.
import Foundation

final class RawServer: Sendable {
    let port: UInt16
    private let descriptor: Int32

    /// `script` is called once for each connection, with its number from 0, on a thread of its own.
    init(receiveBuffer: Int32? = nil, _ script: @escaping @Sendable (Connection, Int) -> Void) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        descriptor = listener
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(listener, $0, length)
                _ = getsockname(listener, $0, &length)
            }
        }
        if var size = receiveBuffer {
            // Set before accept: connections inherit it, and then the window never grows.
            setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        listen(listener, 200)
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread {
            var number = 0
            while true {
                let accepted = accept(listener, nil, nil)
                // Closed here and nowhere else: closed under this thread, the number could be another test's
                // listener by the time `accept` is called again.
                if accepted < 0 { return _ = close(listener) }
                // A program that another test starts must not hold the connection open behind our back.
                _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
                let connection = Connection(accepted)
                let own = number
                number += 1
                Thread.detachNewThread {
                    script(connection, own)
                    connection.close()
                }
            }
        }
    }

    /// Answers every request of every connection with the same bytes.
    convenience init(always answer: String) {
        self.init { connection, _ in
            while connection.request() != nil { connection.send(answer) }
        }
    }

    func url(_ path: String = "/", host: String = "127.0.0.1") -> String { "http://\(host):\(port)\(path)" }

    deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }
}

struct RawRequest: Sendable {
    var lines: [String]
    var body: [UInt8] = []

    var line: String { lines.first ?? "" }
    var target: String { line.split(separator: " ").dropFirst().first.map(String.init) ?? "" }

    func value(_ name: String) -> String? {
        lines.dropFirst().first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
            .map { $0.drop { $0 != ":" }.dropFirst().trimmingCharacters(in: .whitespaces) }
    }
}

final class Connection: @unchecked Sendable {
    // Unchecked: used by its own thread only.
    private var descriptor: Int32
    private var pending: [UInt8] = []

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// The next request with its body; nil when the client has closed.
    func request() -> RawRequest? {
        guard var request = head() else { return nil }
        request.body = read(Int(request.value("Content-Length") ?? "0") ?? 0)
        return request
    }

    func head() -> RawRequest? {
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let found = pending.firstRange(of: end) {
                let text = String(decoding: pending[..<found.lowerBound], as: UTF8.self)
                pending.removeSubrange(..<found.upperBound)
                return RawRequest(lines: text.components(separatedBy: "\r\n"))
            }
            guard receive() else { return nil }
        }
    }

    func read(_ count: Int) -> [UInt8] {
        while pending.count < count, receive() {}
        let taken = Array(pending.prefix(count))
        pending.removeFirst(taken.count)
        return taken
    }

    private func receive() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return false }
        pending += bytes.prefix(count)
        return true
    }

    /// False when the client has gone.
    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    func sendBody(_ bytes: [UInt8], head: String = "HTTP/1.1 200 OK\r\n") {
        send("\(head)Content-Length: \(bytes.count)\r\n\r\n")
        send(bytes)
    }

    func wait(_ seconds: Double) { Thread.sleep(forTimeInterval: seconds) }

    /// Waits until the client closes.
    func waitForEnd() { while receive() {} }

    /// RST instead of FIN.
    func reset() {
        var hard = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &hard, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    func close() {
        if descriptor >= 0 { Foundation.close(descriptor) }
        descriptor = -1
    }
}
