// What the service does not keep of whoever started it, beyond what its starter has cut off already: a
// service started by hand or by systemd gets the same.
import CLinux
import Foundation

enum Surroundings {
    static func clean() {
        umask(0o077)
        clinux_forbid_core_dumps()
        signal(SIGPIPE, SIG_IGN)
        signal(SIGHUP, SIG_IGN)
        // A file-size limit is an error of the write that meets it, no end of the service.
        signal(SIGXFSZ, SIG_IGN)
        raiseDescriptorLimit()
    }

    /// A connection and a body file each for hundreds of transfers need more than the usual 1024.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
