// See CLinux.h. A C file because _GNU_SOURCE in a header does not compile beside Swift's modules.
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <linux/sockios.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

int clinux_peer_credentials(int fd, uid_t *uid, pid_t *pid) {
    struct ucred credentials;
    socklen_t length = sizeof credentials;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return -1;
    *uid = credentials.uid;
    *pid = credentials.pid;
    return 0;
}

int clinux_accept(int fd) {
    return accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

int clinux_close_from(int lowest) {
    return (int)syscall(SYS_close_range, (unsigned)lowest, ~0u, 0u);
}

static void become_service(const char *path, char *const argv[], char *const envp[],
                           const char *folder, int log_fd, int socket_fd, int report_fd) {
    setsid();
    umask(077);
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);

    // Everything that must survive moves above the standard descriptors first, so that no dup2 below
    // can run over another one.
    int log = fcntl(log_fd, F_DUPFD, 10);
    int sock = socket_fd < 0 ? -1 : fcntl(socket_fd, F_DUPFD, 10);
    int report = fcntl(report_fd, F_DUPFD, 10);
    int null = open("/dev/null", O_RDWR);
    if (log < 0 || report < 0 || null < 0 || (socket_fd >= 0 && sock < 0)) goto failed;
    if (dup2(null, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0) goto failed;
    int next = 3;
    if (sock >= 0) {
        if (dup2(sock, 3) < 0) goto failed;
        next = 4;
    }
    if (dup2(report, next) < 0) goto failed;
    report = next;
    fcntl(report, F_SETFD, FD_CLOEXEC);
    clinux_close_from(next + 1);
    if (chdir(folder) != 0) goto failed;
    execve(path, argv, envp);
failed:;
    int error = errno;
    ssize_t ignored = write(report, &error, sizeof error);
    (void)ignored;
    _exit(127);
}

int clinux_spawn_detached(const char *path, char *const argv[], char *const envp[],
                          const char *folder, int log_fd, int socket_fd) {
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0) return errno;
    pid_t child = fork();
    if (child < 0) {
        int error = errno;
        close(report[0]);
        close(report[1]);
        return error;
    }
    if (child == 0) {
        // A second fork leaves the service to init, so that nobody here has to reap it.
        pid_t grandchild = fork();
        if (grandchild == 0)
            become_service(path, argv, envp, folder, log_fd, socket_fd, report[1]);
        if (grandchild < 0) {
            int error = errno;
            ssize_t ignored = write(report[1], &error, sizeof error);
            (void)ignored;
        }
        _exit(0);
    }
    close(report[1]);
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    int error = 0;
    ssize_t count;
    do count = read(report[0], &error, sizeof error);
    while (count < 0 && errno == EINTR);
    close(report[0]);
    return count == (ssize_t)sizeof error ? error : 0;
}

static void become_program(const char *path, char *const argv[], char *const envp[],
                           const char *folder, int log_fd, mode_t mask, int report) {
    setsid();
    umask(mask);
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    // The service has raised its own; programs that count on the usual one must not meet more.
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur > 1024) {
        files.rlim_cur = 1024;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    int log = fcntl(log_fd, F_DUPFD, 10);
    int kept = fcntl(report, F_DUPFD, 10);
    int null = open("/dev/null", O_RDONLY);
    if (log >= 0 && kept >= 0 && null >= 0 && dup2(null, 0) >= 0 && dup2(log, 1) >= 0
        && dup2(log, 2) >= 0 && dup2(kept, 3) >= 0) {
        report = 3;
        fcntl(report, F_SETFD, FD_CLOEXEC);
        clinux_close_from(4);
        if (chdir(folder) == 0) execve(path, argv, envp);
    }
    int error = errno;
    ssize_t ignored = write(report, &error, sizeof error);
    (void)ignored;
    _exit(127);
}

int clinux_spawn_program(const char *path, char *const argv[], char *const envp[],
                         const char *folder, int log_fd, mode_t mask, pid_t *pid) {
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0) return errno;
    pid_t child = fork();
    if (child == 0) become_program(path, argv, envp, folder, log_fd, mask, report[1]);
    int error = child < 0 ? errno : 0;
    close(report[1]);
    if (child > 0) {
        ssize_t count;
        do count = read(report[0], &error, sizeof error);
        while (count < 0 && errno == EINTR);
        if (count != (ssize_t)sizeof error) error = 0;
        int status;
        if (error != 0) while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    }
    close(report[0]);
    *pid = child;
    return error;
}

int clinux_pidfd_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0u); }

int64_t clinux_unsent_bytes(int fd) {
    int count = 0;
    return ioctl(fd, SIOCOUTQ, &count) == 0 ? count : -1;
}

ssize_t clinux_read_at_once(int fd, void *buffer, size_t size, int64_t offset) {
    struct iovec piece = {.iov_base = buffer, .iov_len = size};
    return preadv2(fd, &piece, 1, (off_t)offset, RWF_NOWAIT);
}

int64_t clinux_unread_bytes(int fd) {
    int count = 0;
    return ioctl(fd, FIONREAD, &count) == 0 ? count : -1;
}

bool clinux_has_hung_up(int fd) {
    struct pollfd entry = {.fd = fd, .events = POLLRDHUP};
    return poll(&entry, 1, 0) > 0 && (entry.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

int clinux_rename_noreplace(const char *from, const char *to) {
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 1u /* RENAME_NOREPLACE */);
}

bool clinux_contains(const void *bytes, size_t count, const char *text) {
    return memmem(bytes, count, text, strlen(text)) != NULL;
}

void clinux_bound_heap(size_t most) {
    mallopt(M_TRIM_THRESHOLD, (int)most);
    // libcurl's buffers of 256 KiB stay below it: each of its own would be mapped and unmapped.
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
}

void clinux_trim_heap(size_t least) {
    struct mallinfo2 heap = mallinfo2();
    if (heap.fordblks + heap.fsmblks > least) malloc_trim(0);
}

int clinux_forbid_core_dumps(void) {
    struct rlimit none = {0, 0};
    return setrlimit(RLIMIT_CORE, &none);
}

int clinux_open_unnamed(const char *folder, mode_t mode) {
    return open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
}
