// The background transfer service of one user. Everything it does is in TransferService; here it only
// finds its socket: descriptor 3 from its starter (a client, or systemd), or one it makes itself.
import Foundation
import TransferProtocol
import TransferService

let environment = ProcessInfo.processInfo.environment
let words = Array(CommandLine.arguments.dropFirst())

func fail(_ message: String, status: Int32) -> Never {
    _ = "urlsessiond: \(message)\n".withCString { write(STDERR_FILENO, $0, strlen($0)) }
    exit(status)
}

switch words {
case ["--version"]:
    print("urlsessiond \(ProtocolVersion.product), protocol \(ProtocolVersion.current)")
    exit(0)
case ["--help"], ["-h"]:
    print(
        """
        OVERVIEW: The background transfer service of one user.

        Clients start it when they need it and it leaves by itself; bgtool service is for people.

        USAGE: urlsessiond [--listen-fd 3] [--version] [--help]

        ENVIRONMENT:
          URLSESSIOND_HOME           the folder that holds everything it keeps
                                     (default: $XDG_STATE_HOME/urlsessiond)
          URLSESSIOND_PARTIAL_BYTES  what paused downloads may hold on disk, oldest first (default: 10 GiB)
          URLSESSIOND_IDLE_SECONDS   how long it stays when nobody needs it (default: 60)
        What is no number of those that a variable takes is passed over, which the log says.
        """)
    exit(0)
case [], ["--listen-fd", "3"]:
    break
default:
    fail(
        "Unexpected argument '\(words[0])'\nUsage: urlsessiond [--listen-fd 3] [--version] [--help]",
        status: 64)
}

let home = ServiceHome(environment: environment)
// systemd says by LISTEN_PID whom its descriptors are for.
let isActivated = environment["LISTEN_PID"] == String(getpid()) && environment["LISTEN_FDS"] == "1"

do {
    let listening: Int32
    if !words.isEmpty || isActivated {
        listening = 3
        guard UnixSocket.isListening(listening) else {
            fail("descriptor 3 is not a listening socket; start it with bgtool service start", status: 64)
        }
    } else {
        try home.prepare()
        guard let lock = try FileLock(path: home.startLock, wait: true) else { exit(75) }
        try UnixSocket.removeStale(at: home.socket)
        listening = try UnixSocket.listen(at: home.socket)
        lock.release()
    }
    try ServiceProcess.run(
        home: home, listening: listening, ownsSocket: !isActivated, environment: environment)
} catch {
    fail("\(error)", status: 69)
}
