// The Linux calls that Swift's Glibc module lacks or cannot express. Each returns what the call
// returns, with errno left as the call left it.
#ifndef CLINUX_H
#define CLINUX_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/// The user and process at the other end of a connected Unix socket (SO_PEERCRED). 0, or -1.
int clinux_peer_credentials(int fd, uid_t *uid, pid_t *pid);

/// Accepts a connection, close-on-exec and non-blocking from the first moment (accept4). The descriptor, or -1.
int clinux_accept(int fd);

/// Closes every descriptor from `lowest` up. 0, or -1.
int clinux_close_from(int lowest);

/// Starts `path` detached from this process: a session of its own, `folder` as working folder, umask
/// 077, default signal dispositions and an empty mask, no descriptors but /dev/null as 0, `log_fd` as
/// 1 and 2, and `socket_fd` (when not -1) as 3. The child is re-parented at once, so that the caller
/// never has to wait for it. Returns 0, or an errno value, also when the program could not be executed.
int clinux_spawn_detached(const char *path, char *const argv[], char *const envp[],
                          const char *folder, int log_fd, int socket_fd);

/// Starts `path` in a session and process group of its own, `folder` as working folder, `mask` as umask,
/// default signal dispositions and an empty mask, no descriptors but /dev/null as 0 and `log_fd` as 1 and 2.
/// It is this process's child: `pid` is to be waited for. Returns 0, or an errno value, also when the program
/// could not be executed.
int clinux_spawn_program(const char *path, char *const argv[], char *const envp[],
                         const char *folder, int log_fd, mode_t mask, pid_t *pid);

/// A descriptor that becomes readable when the process ends (pidfd_open). Close-on-exec. It, or -1.
int clinux_pidfd_open(pid_t pid);

/// Bytes written to a TCP socket that its peer has not acknowledged yet (SIOCOUTQ), or -1.
int64_t clinux_unsent_bytes(int fd);

/// Reads at a place what can be had without waiting (preadv2, RWF_NOWAIT). The count, or -1 with errno
/// EAGAIN when it is not in memory, EOPNOTSUPP or ENOSYS when the file system or the kernel cannot tell.
ssize_t clinux_read_at_once(int fd, void *buffer, size_t size, int64_t offset);

/// Bytes that wait to be read from a socket (FIONREAD), or -1.
int64_t clinux_unread_bytes(int fd);

/// Whether a socket's peer has closed it, or its sending side: it will write no more (POLLRDHUP).
bool clinux_has_hung_up(int fd);

/// rename(2) that fails with EEXIST instead of replacing (renameat2, RENAME_NOREPLACE). 0, or -1.
int clinux_rename_noreplace(const char *from, const char *to);

/// Opens a new file in `folder` that has no name and vanishes with its descriptor unless it is linked
/// (O_TMPFILE): read and write, close-on-exec. The descriptor, or -1.
int clinux_open_unnamed(const char *folder, mode_t mode);

/// Whether the text stands somewhere in the bytes (memmem).
bool clinux_contains(const void *bytes, size_t count, const char *text);

/// Bounds what the heap holds free at its end (mallopt). Left alone, glibc raises that bound, to megabytes, with
/// each large block that is freed.
void clinux_bound_heap(size_t most);

/// Gives the kernel back what the heap holds free elsewhere, if that is more than `least` bytes (malloc_trim): a
/// burst otherwise leaves its pages to the process for ever.
void clinux_trim_heap(size_t least);

/// Makes core dumps of this process impossible: they would hold credentials. 0, or -1.
int clinux_forbid_core_dumps(void);

#endif
