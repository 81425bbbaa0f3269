// libcurl's C callbacks, each handed to the transfer it belongs to. No thought happens here. libcurl calls
// them on its own thread, from within perform, unpause or remove.
import CCurl
import Foundation

enum CurlCallbacks {
    static func install(_ transfer: RunningTransfer) {
        let easy = transfer.handle.easy
        // Not retained: the engine holds every transfer until its handle is closed.
        let pointer = Unmanaged.passUnretained(transfer).toOpaque()
        for option in [
            CURLOPT_PRIVATE, CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_READDATA, CURLOPT_SEEKDATA,
        ] {
            ccurl_set_pointer(easy, option, pointer)
        }
        ccurl_set_write_callback(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, user in
            guard let transfer = CurlCallbacks.transfer(user) else { return 0 }
            return transfer.takeBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        ccurl_set_write_callback(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, user in
            guard let transfer = CurlCallbacks.transfer(user) else { return 0 }
            let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return transfer.takeHeadLine(line) ? line.count : 0
        }
        ccurl_set_read_callback(easy) { buffer, size, count, user in
            guard let transfer = CurlCallbacks.transfer(user) else { return Int(CURL_READFUNC_ABORT) }
            return transfer.giveBody(UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
        }
        ccurl_set_seek_callback(easy) { user, offset, origin in
            guard let transfer = CurlCallbacks.transfer(user), origin == SEEK_SET else {
                return CURL_SEEKFUNC_FAIL
            }
            return transfer.rewind(to: Int64(offset)) ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
        }
    }

    /// Sockets outlive the transfer that opened them, so these get the table, which outlives them all.
    static func install(_ sockets: SocketTable, on transfer: RunningTransfer) {
        let easy = transfer.handle.easy
        let pointer = Unmanaged.passUnretained(sockets).toOpaque()
        ccurl_set_pointer(easy, CURLOPT_SOCKOPTDATA, pointer)
        ccurl_set_pointer(easy, CURLOPT_CLOSESOCKETDATA, pointer)
        ccurl_set_socket_callback(easy) { user, socket, _ in
            CurlCallbacks.sockets(user)?.didOpen(socket)
            return CURL_SOCKOPT_OK
        }
        ccurl_set_close_callback(easy) { user, socket in
            CurlCallbacks.sockets(user)?.willClose(socket)
            return close(socket)
        }
        ccurl_set_pointer(easy, CURLOPT_PREREQDATA, Unmanaged.passUnretained(transfer).toOpaque())
        ccurl_set_prerequest_callback(easy) { user, _, _, remotePort, localPort in
            CurlCallbacks.transfer(user)?.connectionIsReady(localPort: localPort, remotePort: remotePort)
            return CURL_PREREQFUNC_OK
        }
    }

    private static func sockets(_ pointer: UnsafeMutableRawPointer?) -> SocketTable? {
        pointer.map { Unmanaged<SocketTable>.fromOpaque($0).takeUnretainedValue() }
    }

    static func transfer(_ pointer: UnsafeMutableRawPointer?) -> RunningTransfer? {
        pointer.map { Unmanaged<RunningTransfer>.fromOpaque($0).takeUnretainedValue() }
    }
}
